import { readFile } from "node:fs/promises";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type {
  ReplayAnswer,
  ReplayGivenRequest,
  ReplayRequest,
} from "../../../contracts/daemon/cassettes/cassettes.ts";
import { checkedCassette, readCassetteText } from "../../../engine/cassettes/read-cassette.ts";
import { AppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { DaemonDeps } from "../deps.ts";

/** Tenant, sender and abort signal of the request that replays a cassette. */
export interface ReplayCaller {
  tenant: string;
  sender: Sender;
  signal: AbortSignal;
}

/** Replays or forks a stored cassette when a place for a run is free. */
export async function replayKept(
  deps: DaemonDeps,
  id: string,
  request: ReplayRequest,
  by: ReplayCaller,
): Promise<ReplayAnswer> {
  const path = await deps.cassettes.folder.find(by.tenant, id);
  if (path === undefined) throw cassetteNotFound();
  return whenAdmitted(deps, by.signal, async (stopped) =>
    deps.cassettes.replay(await readKept(path, stopped), request, { ...by, signal: stopped }),
  );
}

/** Like `replayKept`, for a cassette in the request. */
export async function replayGiven(
  deps: DaemonDeps,
  { cassette, ...request }: ReplayGivenRequest,
  by: ReplayCaller,
): Promise<ReplayAnswer> {
  const isFork = request.from !== undefined || request.model !== undefined;
  // A plain replay checks the cassette itself.
  const checked = isFork
    ? await inPieces(checkedCassette(cassette, "The cassette"), by.signal)
    : (cassette as Cassette);
  return whenAdmitted(deps, by.signal, (stopped) =>
    deps.cassettes.replay(checked, request, { ...by, signal: stopped }),
  );
}

async function whenAdmitted<T>(
  { gate, stopping }: DaemonDeps,
  signal: AbortSignal,
  work: (stopped: AbortSignal) => Promise<T>,
): Promise<T> {
  const leave = await gate.enter(signal);
  try {
    return await work(AbortSignal.any([signal, stopping]));
  } finally {
    leave();
  }
}

async function readKept(path: string, signal: AbortSignal): Promise<Cassette> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  // The file may have been deleted in the meantime.
  if (text === undefined) throw cassetteNotFound();
  try {
    return await inPieces(readCassetteText(text, "The cassette"), signal);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    // The request is valid, but the stored file is damaged or from another version.
    throw new AppError("unprocessable", thrown.code, thrown.message, { details: thrown.details });
  }
}

export function cassetteNotFound(): AppError {
  return new AppError("not_found", "cassette_not_found", "There is no cassette with this id.", {
    details: { hint: "A run leaves one when it is started with `record: true`; they are kept for a while." },
  });
}
