import type { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { inTurn } from "../../../kit/in-turn.ts";
import { createLineProcess, MemoryLimitPassed, TimeLimitPassed } from "../../../kit/line-process.ts";
import type { SqliteReply, SqliteRequest } from "./run-sqlite.ts";
import type { SqlAnswer } from "./sql-answer.ts";
import { sqlFailed } from "./sql-fault.ts";

const MIB = 1024 * 1024;
const memory = { residentBytesMax: 512 * MIB, addressSpaceBytes: 1024 * MIB };

const undoLimits: SqliteLimits = { timeLimitMs: 10_000, signal: new AbortController().signal };

/** How long a statement may take, and what else ends it. */
export interface SqliteLimits {
  timeLimitMs: number;
  signal: AbortSignal;
}

export interface SqliteProcess {
  /**
   * Runs a statement in the child, which is killed when it takes longer or more memory than it may, or when the signal
   * aborts; starting and waiting for others isn't counted. Throws AppError `sql_failed`, or the signal's reason.
   */
  run(request: SqliteRequest, limits: SqliteLimits): Promise<SqlAnswer>;
  /** Ends the child. */
  close(): void;
}

/**
 * Keeps one child process for SQLite, one statement at a time, without any environment. It starts with the first statement
 * and ends after a minute without one, when it is killed, and when this process ends, whatever ends it.
 */
export function createSqliteProcess(command: readonly string[], clock: Clock): SqliteProcess {
  const child = createLineProcess<SqliteRequest, SqliteReply>({ command, clock, memory });
  const turn = inTurn();

  /** A statement that was cut off while it wrote is undone by the next that may write, and until then nobody can read. */
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
    run: (request, limits) => turn(() => run(request, limits)),
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
