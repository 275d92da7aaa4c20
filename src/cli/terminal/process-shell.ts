import { builtParts } from "../../command/parts.ts";
import { systemClock } from "../../kit/clock.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { neutralise } from "./paint.ts";
import type { Shell, TerminalOutput } from "./shell.ts";

/** The shell of this process, and its orderly end. */
export interface ProcessShell extends Shell {
  /** Ends the process after its output has been written, which takes time for a pipe. Lost data is a failure. */
  leave(code: ExitCode): Promise<never>;
}

export function processShell(): ProcessShell {
  const [stdout, stderr] = [process.stdout, process.stderr].map(watchOutput) as [Watched, Watched];
  return {
    // Opened at its first use: a server seldom reads it.
    get stdin() {
      return process.stdin;
    },
    stdout: stdout.output,
    stderr: stderr.output,
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
    async leave(code) {
      // Keeps the process alive while a slow reader drains the pipe.
      systemClock.timer(holdMs, () => undefined);
      const lost = await stdout.end();
      if (lost !== undefined)
        stderr.output.write(neutralise(`error: The output could not be written: ${lost.message}\n`));
      await stderr.end();
      process.exit(lost === undefined ? code : exitCodes.failed);
    },
  };
}

const holdMs = 24 * 3_600_000;

interface Watched {
  output: TerminalOutput;
  /** Ends the stream when all is written. Returns the fault that lost its data, except if the reader closed the pipe. */
  end(): Promise<NodeJS.ErrnoException | undefined>;
}

/**
 * Watches an output for faults from the beginning: a stream that could not write to a file neither tells it later nor calls back when it is
 * ended (Bun 1.4.5). Without a listener, a fault would end the process.
 */
function watchOutput(output: TerminalOutput): Watched {
  const fault = Promise.withResolvers<NodeJS.ErrnoException>();
  output.on("error", fault.resolve);
  return {
    output,
    async end() {
      // Not write("", …): its callback runs before the pipe has accepted earlier writes (Bun 1.4.5).
      const ended = new Promise<undefined>((resolve) => output.end(() => resolve(undefined)));
      const lost = await Promise.race([fault.promise, ended]);
      return lost?.code === "EPIPE" ? undefined : lost;
    },
  };
}
