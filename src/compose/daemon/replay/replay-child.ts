import type { ReplayReport } from "../../../contracts/daemon/cassettes.ts";
import { checkCassette } from "../../../engine/cassettes/read-cassette.ts";
import { type ErrorDetails, type ErrorKind, toAppError } from "../../../kit/app-error.ts";
import { dieWithParent } from "../../../kit/die-with-parent.ts";
import { replayOffline } from "./replay-offline.ts";

/** One line to the child. */
export interface ReplayChildRequest {
  /** Not validated yet. */
  cassette: unknown;
  strict: boolean;
}

/** One line from the child. */
export type ReplayChildAnswer =
  | { report: ReplayReport }
  | { kind: ErrorKind; code: string; message: string; details: ErrorDetails };

/**
 * Counterpart of `createReplayProcess`: answers one JSON line per request line until its input or its parent ends. Runs as a separate
 * process, because the cassette determines how much work its replay is.
 */
export async function runReplayChild(): Promise<void> {
  dieWithParent();
  process.stdout.write("\n");
  for await (const line of console) {
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
  }
}

async function answer({ cassette: given, strict }: ReplayChildRequest): Promise<ReplayChildAnswer> {
  try {
    const cassette = checkCassette(given, "The cassette");
    return { report: await replayOffline(cassette, { strict, signal: new AbortController().signal }) };
  } catch (thrown) {
    const { kind, code, message, details } = toAppError(thrown);
    return { kind, code, message, details };
  }
}
