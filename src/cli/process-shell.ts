import { systemClock } from "../kit/clock.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";
import { builtParts } from "./parts.ts";
import type { Shell, TerminalOutput } from "./shell.ts";

/** The shell of this process. */
export function processShell(): Shell {
  // Unheard, a fault of an output would end the process: that nobody reads is told by `leave`, or is nobody's concern.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    folder: process.cwd(),
    onSignal(received) {
      process.on("SIGINT", received);
      process.on("SIGTERM", received);
      return () => {
        process.off("SIGINT", received);
        process.off("SIGTERM", received);
      };
    },
    exitNow: (code) => process.exit(code),
    parts: builtParts,
  };
}

const holdMs = 24 * 3_600_000;

/** Ends the process once what was written has left it: a pipe takes its time. Data that got lost is a failure. */
export async function leave(code: ExitCode): Promise<never> {
  // A pipe that nobody reads for a while must not let the process end before its time.
  systemClock.timer(holdMs, () => undefined);
  const lost = await ended(process.stdout);
  if (lost !== undefined) process.stderr.write(`error: The output could not be written: ${lost.message}\n`);
  await ended(process.stderr);
  process.exit(lost === undefined ? code : exitCodes.failed);
}

/** Ends a stream; gives the fault that kept its data from arriving, unless it was that nobody reads any more. */
function ended(output: TerminalOutput): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const settle = (fault?: NodeJS.ErrnoException | null) =>
      resolve(fault && fault.code !== "EPIPE" ? fault : undefined);
    if (output.errored || output.destroyed) return settle(output.errored);
    output.once("error", settle);
    // Not write("", …): its callback runs before the pipe has taken what was written earlier (Bun 1.4.5).
    output.end(() => settle());
  });
}
