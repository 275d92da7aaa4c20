import { systemClock } from "../../kit/clock.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { builtParts } from "../parts.ts";
import type { Shell, TerminalOutput } from "./shell.ts";

/** The shell of this process. */
export function processShell(): Shell {
  // Without a listener, an output error would end the process. `leave` reports lost output.
  for (const output of [process.stdout, process.stderr]) output.on("error", () => undefined);
  return {
    // Opened at its first use: a server seldom reads it.
    get stdin() {
      return process.stdin;
    },
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

/** Ends the process after its output has been written, which takes time for a pipe. Lost data is a failure. */
export async function leave(code: ExitCode): Promise<never> {
  // Keeps the process alive while a slow reader drains the pipe.
  systemClock.timer(holdMs, () => undefined);
  const lost = await ended(process.stdout);
  if (lost !== undefined) process.stderr.write(`error: The output could not be written: ${lost.message}\n`);
  await ended(process.stderr);
  process.exit(lost === undefined ? code : exitCodes.failed);
}

/** Ends a stream. Returns the fault that lost its data, except if the reader closed the pipe. */
function ended(output: TerminalOutput): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const settle = (fault?: NodeJS.ErrnoException | null) =>
      resolve(fault && fault.code !== "EPIPE" ? fault : undefined);
    if (output.errored || output.destroyed) return settle(output.errored);
    output.once("error", settle);
    // Not write("", …): its callback runs before the pipe has accepted earlier writes (Bun 1.4.5).
    output.end(() => settle());
  });
}
