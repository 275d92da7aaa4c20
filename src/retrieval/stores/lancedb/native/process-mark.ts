/** `pid-start`, as it stands in the names of what only this process uses: in a container every process may have the same id. */
export const processMark = `${process.pid}-${Math.floor(performance.timeOrigin)}`;

/** How a process's mark looks in a pattern. */
export const markPattern = "\\d+-\\d+";

/** Whether the process with that mark has ended; one that has its id now keeps what is its own until that ends too. */
export function hasEnded(mark: string): boolean {
  const pid = Number(mark.split("-")[0]);
  return pid === process.pid ? mark !== processMark : !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // It runs under another user.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
