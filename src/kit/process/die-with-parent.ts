import { Worker } from "node:worker_threads";

/**
 * Ends this process soon after its parent has ended for any reason. A separate thread watches the parent, so this works even in the middle
 * of a statement. (Linux could send a signal, but under an address space limit Bun cannot ask for that.)
 */
export function dieWithParent(): void {
  const watch = new Worker(new URL("./parent-watch.ts", import.meta.url));
  watch.postMessage(process.ppid);
  watch.unref();
}
