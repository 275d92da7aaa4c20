import { resolve } from "node:path";
import type { ReplayReport } from "../../../../contracts/daemon/cassettes/cassettes.ts";
import { AppError } from "../../../../kit/app-error.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { fairTurns } from "../../../../kit/concurrency/fair-turns.ts";
import { inPieces } from "../../../../kit/concurrency/others-turn.ts";
import {
  createLineProcess,
  MemoryLimitPassed,
  TimeLimitPassed,
} from "../../../../kit/process/line-process.ts";
import { writeJson } from "../../../../kit/write-json.ts";
import type { ReplayChildAnswer, ReplayChildRequest, ReplaySource } from "./replay-child.ts";

const MIB = 1024 * 1024;
const timeLimitMs = 30_000;
const memory = { residentBytesMax: 768 * MIB, addressSpaceBytes: 4096 * MIB, keptBytesMax: 256 * MIB };

export interface ReplayProcess {
  /**
   * Checks a cassette and replays it in the child, one at a time; owners take turns. The child is killed if it exceeds its time or memory limit, or when the signal aborts.
   * Throws AppError `replay_too_large` (unprocessable) for the limits, and the errors of the replay itself.
   */
  replay(source: ReplaySource, options: ReplayProcessOptions): Promise<ReplayReport>;
  /** Ends the child, which would otherwise keep this process alive. */
  close(): void;
}

export interface ReplayProcessOptions {
  strict: boolean;
  signal: AbortSignal;
  /** Sender of the cassette, whose replays queue behind each other. */
  owner: string;
}

/** Manages one child process for replays, one at a time. */
export function createReplayProcess(command: readonly string[], clock: Clock): ReplayProcess {
  const child = createLineProcess<ReplayChildRequest, ReplayChildAnswer>({
    command,
    clock,
    memory,
    write: (request) => inPieces(writeJson(request)),
  });
  const turn = fairTurns({ placesMax: 1, ownPlacesMax: 1 });

  const replay = async (source: ReplaySource, { strict, signal }: ReplayProcessOptions) => {
    signal.throwIfAborted();
    let answer: ReplayChildAnswer;
    try {
      answer = await child.ask({ ...placed(source), strict }, { timeLimitMs, signal });
    } catch (thrown) {
      throw signal.aborted ? thrown : replayFailure(thrown);
    }
    if ("report" in answer) return answer.report;
    throw new AppError(answer.kind, answer.code, answer.message, { details: answer.details });
  };

  return {
    replay: (source, options) => turn(options.owner, () => replay(source, options)),
    close: child.close,
  };
}

/** The child works in another folder. */
const placed = (source: ReplaySource): ReplaySource =>
  "path" in source ? { path: resolve(source.path) } : source;

function replayFailure(cause: unknown): AppError {
  const reason =
    cause instanceof TimeLimitPassed
      ? `took longer than ${timeLimitMs / 1000} seconds`
      : cause instanceof MemoryLimitPassed
        ? `needed more than ${memory.residentBytesMax / MIB} MiB of memory`
        : undefined;
  if (reason === undefined) {
    return new AppError("unavailable", "replay_unavailable", "The process for replays ended; try again.", {
      cause,
    });
  }
  return new AppError("unprocessable", "replay_too_large", `The replay ${reason} and was stopped.`, {
    details: { hint: "Replay it with `argosy replay` on the command line, or record a shorter run." },
    cause,
  });
}
