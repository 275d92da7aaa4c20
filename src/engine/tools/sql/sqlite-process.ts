import type { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { fairTurns } from "../../../kit/concurrency/fair-turns.ts";
import { createLineProcess, MemoryLimitPassed, TimeLimitPassed } from "../../../kit/process/line-process.ts";
import type { SqliteReply, SqliteRequest } from "./run-sqlite.ts";
import type { SqlAnswer } from "./sql-answer.ts";
import { sqlFailed } from "./sql-fault.ts";

const MIB = 1024 * 1024;
const memory = { residentBytesMax: 512 * MIB, addressSpaceBytes: 1024 * MIB };

const undoLimits = { timeLimitMs: 10_000, signal: new AbortController().signal };

/** Time limit, abort signal and owner of a statement. Owners take turns. */
export interface SqliteLimits {
  owner: string;
  timeLimitMs: number;
  signal: AbortSignal;
}

export interface SqliteProcess {
  /**
   * Runs a statement in the child. The child is killed if the statement exceeds its time or memory limit, or if the signal aborts; start
   * and queueing don't count. Throws AppError `sql_failed`, or the signal's reason.
   */
  run(request: SqliteRequest, limits: SqliteLimits): Promise<SqlAnswer>;
  /** Ends the child. */
  close(): void;
}

/**
 * Runs a child process for SQLite, one statement at a time, without environment variables. It starts with the first statement, and ends
 * after one minute without any, when it is killed, or when this process ends for any reason.
 */
export function createSqliteProcess(command: readonly string[], clock: Clock): SqliteProcess {
  const child = createLineProcess<SqliteRequest, SqliteReply>({ command, clock, memory });
  const turn = fairTurns({ placesMax: 1, ownPlacesMax: 1 });

  /** Rolls back an interrupted write. Only a connection that may write can do that, and until then nothing can be read. */
  const undo = (request: SqliteRequest) =>
    child
      .ask({ ...request, query: "SELECT 1 FROM sqlite_schema", parameters: [] }, undoLimits)
      .catch(() => {});

  const run = async (request: SqliteRequest, limits: SqliteLimits): Promise<SqlAnswer> => {
    limits.signal.throwIfAborted();
    let reply: SqliteReply;
    try {
      reply = await child.ask(request, limits);
    } catch (thrown) {
      if (!request.readOnly) await undo(request);
      limits.signal.throwIfAborted();
      throw endedEarly(thrown, limits.timeLimitMs);
    }
    if ("answer" in reply) return reply.answer;
    throw sqlFailed(`The database refused the statement: ${reply.fault}.`);
  };

  return {
    run: (request, limits) => turn(limits.owner, () => run(request, limits)),
    close: child.close,
  };
}

function endedEarly(cause: unknown, timeLimitMs: number): AppError {
  if (cause instanceof TimeLimitPassed) {
    return sqlFailed(
      `The statement took longer than ${timeLimitMs / 1000} seconds and was stopped; make it simpler.`,
      cause,
    );
  }
  if (cause instanceof MemoryLimitPassed) {
    return sqlFailed("The statement needed too much memory and was stopped; make it simpler.", cause);
  }
  return sqlFailed("The statement could not be finished; make it simpler, or try again.", cause);
}
