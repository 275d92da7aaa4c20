import { readFile } from "node:fs/promises";
import type { Cassette } from "../../../../contracts/daemon/cassettes/cassette-file.ts";
import type { ReplayReport } from "../../../../contracts/daemon/cassettes/cassettes.ts";
import { checkCassette, readCassette } from "../../../../engine/cassettes/read-cassette.ts";
import { replayOffline } from "../../../../engine/cassettes/replay/replay-offline.ts";
import { type ErrorDetails, type ErrorKind, toAppError } from "../../../../kit/app-error.ts";
import { dieWithParent } from "../../../../kit/process/die-with-parent.ts";
import { cassetteNotFound } from "../replay-cassette.ts";

/** A cassette that is not validated yet, or the path of its file. */
export type ReplaySource = { cassette: unknown } | { path: string };

/** One line to the child. */
export type ReplayChildRequest = ReplaySource & { strict: boolean };

/** One line from the child. */
export type ReplayChildAnswer =
  | { report: ReplayReport }
  | { kind: ErrorKind; code: string; message: string; details: ErrorDetails };

/**
 * Counterpart of `createReplayProcess`: answers one JSON line per request line until its input or its parent ends. Runs as a separate
 * process, because the cassette determines how much work its replay is.
 */
export async function runReplayChild(templateCommand: string[]): Promise<void> {
  dieWithParent();
  process.stdout.write("\n");
  for await (const line of console) {
    process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line), templateCommand))}\n`);
  }
}

async function answer(
  { strict, ...source }: ReplayChildRequest,
  templateCommand: string[],
): Promise<ReplayChildAnswer> {
  try {
    const cassette = await cassetteOf(source);
    return {
      report: await replayOffline(
        cassette,
        { strict, signal: new AbortController().signal },
        templateCommand,
      ),
    };
  } catch (thrown) {
    const { kind, code, message, details } = toAppError(thrown);
    return { kind, code, message, details };
  }
}

async function cassetteOf(source: ReplaySource): Promise<Cassette> {
  if ("cassette" in source) return checkCassette(source.cassette, "The cassette");
  const text = await readFile(source.path, "utf8").catch(() => undefined);
  // The file may have been deleted in the meantime.
  if (text === undefined) throw cassetteNotFound();
  return readCassette(text, "The cassette");
}
