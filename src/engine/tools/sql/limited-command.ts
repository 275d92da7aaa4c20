import { existsSync } from "node:fs";

const shell = "/bin/sh";
/** In KiB: Bun needs a quarter of it to start. */
const addressSpaceMax = 1_048_576;

/** A system without such a limit says so on standard error, which is closed, and goes on. */
const script = `ulimit -v ${addressSpaceMax} 2>/dev/null; ulimit -c 0; exec "$@"`;

/**
 * The command under a limit of its address space, which a shell sets before it becomes the command. Without a shell, as in
 * the smallest containers, it runs as it is, and its memory is only watched.
 */
export function limitedCommand(command: readonly string[], ownPid: number): string[] {
  if (!existsSync(shell)) return [...command];
  // The shell's own executable is another one.
  const [program, ...rest] = command;
  const named = program === "/proc/self/exe" ? `/proc/${ownPid}/exe` : program;
  return [shell, "-c", script, "argosy", ...(named === undefined ? [] : [named]), ...rest];
}
