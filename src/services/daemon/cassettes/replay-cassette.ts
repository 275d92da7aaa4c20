import { readFile } from "node:fs/promises";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type {
  ReplayAnswer,
  ReplayGivenRequest,
  ReplayRequest,
} from "../../../contracts/daemon/cassettes/cassettes.ts";
import { checkedCassette, readCassetteText } from "../../../engine/cassettes/read-cassette.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AdmissionGate } from "../../../kit/concurrency/admission-gate.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import type { Sender } from "../../../manifest/senders/sender.ts";
import type { CassetteFolder } from "./cassette-folder.ts";

export interface ReplayCaller {
  tenant: string;
  sender: Sender;
  /** Aborts when the caller leaves. */
  signal: AbortSignal;
}

/** Dependencies of the routes that record and replay runs. */
export interface CassettePorts {
  folder: CassetteFolder;
  /** Replays a cassette, which is not validated yet, or a file with one. */
  replay: (
    source: { cassette: unknown } | { path: string },
    request: ReplayRequest,
    by: ReplayCaller,
  ) => Promise<ReplayAnswer>;
  /** Forks a validated cassette. */
  fork: (cassette: Cassette, request: ReplayRequest, by: ReplayCaller) => Promise<ReplayAnswer>;
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

const isFork = ({ from, model }: ReplayRequest) => from !== undefined || model !== undefined;

/** Replays or forks a stored cassette when a place for a run is free. */
export async function replayKept(
  deps: ReplayDeps,
  id: string,
  request: ReplayRequest,
  by: ReplayCaller,
): Promise<ReplayAnswer> {
  const path = await deps.cassettes.folder.find(by.tenant, id);
  if (path === undefined) throw cassetteNotFound();
  return whenAdmitted(deps, by.signal, async (stopped) => {
    const caller = { ...by, signal: stopped };
    try {
      if (isFork(request)) return await deps.cassettes.fork(await readKept(path, stopped), request, caller);
      return await deps.cassettes.replay({ path }, request, caller);
    } catch (thrown) {
      throw isDamaged(thrown) ? asUnprocessable(thrown) : thrown;
    }
  });
}

/** Like `replayKept`, for a cassette in the request. */
export async function replayGiven(
  deps: ReplayDeps,
  { cassette, ...request }: ReplayGivenRequest,
  by: ReplayCaller,
): Promise<ReplayAnswer> {
  // A plain replay checks the cassette itself.
  const checked = isFork(request)
    ? await inPieces(checkedCassette(cassette, "The cassette"), by.signal)
    : undefined;
  return whenAdmitted(deps, by.signal, (stopped) => {
    const caller = { ...by, signal: stopped };
    return checked === undefined
      ? deps.cassettes.replay({ cassette }, request, caller)
      : deps.cassettes.fork(checked, request, caller);
  });
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
  return inPieces(readCassetteText(text, "The cassette"), signal);
}

const isDamaged = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && thrown.code === "invalid_cassette";

/** The request is valid, but the stored file is damaged or from another version. */
function asUnprocessable({ code, message, details }: AppError): AppError {
  return new AppError("unprocessable", code, message, { details });
}

export function cassetteNotFound(): AppError {
  return new AppError("not_found", "cassette_not_found", "There is no cassette with this id.", {
    details: {
      hint: "A run with `record: true` creates a cassette. Cassettes are deleted when they expire.",
    },
  });
}
