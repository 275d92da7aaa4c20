/**
 * Code that runs once, at the start, doesn't pay back what compiling it to machine code costs. The executable therefore starts with a JIT
 * that is reluctant (`jitPolicy` in `scripts/building/compile.ts`). This gives the main thread the normal one; other threads begin with it.
 */
export const endStartPolicy = (): void => Bun.unsafe.setJITPolicy(1);
