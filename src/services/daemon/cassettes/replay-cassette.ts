import { readFile } from "node:fs/promises";
import type { Cassette } from "../../../contracts/daemon/cassette-file.ts";
import type { ReplayAnswer, ReplayGivenRequest, ReplayRequest } from "../../../contracts/daemon/cassettes.ts";
import { checkedCassette, readCassetteText } from "../../../engine/cassettes/read-cassette.ts";
import type { AdmissionGate } from "../../../kit/admission-gate.ts";
import { AppError } from "../../../kit/app-error.ts";
import { inPieces } from "../../../kit/others-turn.ts";
import type { Sender } from "../../../manifest/sender.ts";
import type { CassetteFolder } from "./cassette-folder.ts";

/** Replays a cassette, or forks it, for a tenant. */
export type ReplayCassette = (
  cassette: Cassette,
  request: ReplayRequest,
  by: { tenant: string; sender: Sender; signal: AbortSignal },
) => Promise<ReplayAnswer>;

/** Dependencies of the routes that record and replay runs. */
export interface CassettePorts {
  folder: CassetteFolder;
  replay: ReplayCassette;
  /** Masks the secrets known to the process in a text. */
  maskKnown: (text: string) => string;
}

/** Dependencies of a replay on request. */
export interface ReplayDeps {
  cassettes: CassettePorts;
  gate: AdmissionGate;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
}

/** Tenant, sender and abort signal of the request that replays a cassette. */
export interface ReplayCaller {
  tenant: string;
  sender: Sender;
  signal: AbortSignal;
}

/** Replays or forks a stored cassette when a place for a run is free. */
export async function replayKept(
  deps: ReplayDeps,
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
  deps: ReplayDeps,
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
  { gate, stopping }: ReplayDeps,
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
    details: {
      hint: "A run with `record: true` creates a cassette. Cassettes are deleted when they expire.",
    },
  });
}
