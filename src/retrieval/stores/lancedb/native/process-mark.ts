/** `pid-start`, part of the names of files that only this process uses: in containers, process ids alone are not unique. */
export const processMark = `${process.pid}-${Math.floor(performance.timeOrigin)}`;

/** Pattern for a process's mark. */
export const markPattern = "\\d+-\\d+";

/** Returns true if the process with that mark has ended. If another process now has its id, its files are kept until that ends, too. */
export function hasEnded(mark: string): boolean {
  const pid = Number(mark.split("-")[0]);
  return pid === process.pid ? mark !== processMark : !isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // It runs as another user.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
