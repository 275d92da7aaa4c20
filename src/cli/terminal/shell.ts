import type { Readable, Writable } from "node:stream";
import type { Parts } from "../../command/parts.ts";
import type { ExitCode } from "../exit-codes.ts";

export interface TerminalOutput extends Writable {
  isTTY?: boolean;
  columns?: number;
  /** Honours NO_COLOR, FORCE_COLOR and TERM. */
  hasColors?(): boolean;
}

/** The parts of the process that a command may use; tests pass their own. */
export interface Shell {
  stdin: Readable & { isTTY?: boolean };
  stdout: TerminalOutput;
  stderr: TerminalOutput;
  /** The folder that paths on the command line are relative to. */
  folder: string;
  /** Calls `received` at each SIGINT or SIGTERM; the returned function stops that. */
  onSignal(received: () => void): () => void;
  /** Ends the process now, without waiting for anything. */
  exitNow(code: ExitCode): void;
  parts: Parts;
}
