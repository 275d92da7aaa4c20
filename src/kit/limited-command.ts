import { existsSync } from "node:fs";

const shell = "/bin/sh";

/** A system without such a limit says so on standard error, which is closed, and goes on. */
const script = (kibibytes: number) => `ulimit -v ${kibibytes} 2>/dev/null; ulimit -c 0; exec "$@"`;

/**
 * The command under a limit of its address space, which a shell sets before it becomes the command; Bun needs 256 MiB to
 * start. Without a shell, as in the smallest containers, it runs as it is, and its memory is only watched.
 */
export function limitedCommand(
  command: readonly string[],
  ownPid: number,
  addressSpaceBytes: number,
): string[] {
  if (!existsSync(shell)) return [...command];
  // The shell's own executable is another one.
  const [program, ...rest] = command;
  const named = program === "/proc/self/exe" ? `/proc/${ownPid}/exe` : program;
  const limits = script(Math.floor(addressSpaceBytes / 1024));
  return [shell, "-c", limits, "argosy", ...(named === undefined ? [] : [named]), ...rest];
}
