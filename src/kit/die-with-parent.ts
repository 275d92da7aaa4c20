import { Worker } from "node:worker_threads";

/**
 * Ends this process soon after its parent has ended, however that ended, also in the middle of a statement, when no input is
 * read: a thread of its own looks. (Linux could signal it, but under a limit of address space Bun can't ask for that.)
 */
export function dieWithParent(): void {
  const watch = new Worker(new URL("./parent-watch.ts", import.meta.url));
  watch.postMessage(process.ppid);
  watch.unref();
}
