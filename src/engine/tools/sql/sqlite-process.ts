import type { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { limitedCommand } from "./limited-command.ts";
import { residentMemory } from "./resident-memory.ts";
import type { SqliteReply, SqliteRequest } from "./run-sqlite.ts";
import type { SqlAnswer } from "./sql-answer.ts";
import { sqlFailed } from "./sql-fault.ts";

const START_LIMIT_MS = 10_000;
/** A child nobody asks is ended after this time. */
const IDLE_LIMIT_MS = 60_000;
const MEMORY_LOOK_MS = 50;
const MEMORY_BYTES_MAX = 512 * 1024 * 1024;

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
  let child: Child | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let cancelIdle = () => {};

  const stop = () => {
    cancelIdle();
    child?.kill();
    child = undefined;
  };

  const ask = async (request: SqliteRequest, limits: SqliteLimits): Promise<SqliteReply> => {
    cancelIdle();
    try {
      child ??= await startChild(command, clock);
      const reply: SqliteReply = JSON.parse(await child.ask(JSON.stringify(request), limits));
      cancelIdle = clock.timer(IDLE_LIMIT_MS, stop);
      return reply;
    } catch (thrown) {
      stop();
      throw thrown;
    }
  };

  /** A statement that was cut off while it wrote is undone by the next that may write, and until then nobody can read. */
  const undo = (request: SqliteRequest) =>
    ask({ ...request, query: "SELECT 1 FROM sqlite_schema", parameters: [] }, undoLimits).catch(() => {});

  const run = async (request: SqliteRequest, limits: SqliteLimits): Promise<SqlAnswer> => {
    limits.signal.throwIfAborted();
    let reply: SqliteReply;
    try {
      reply = await ask(request, limits);
    } catch (thrown) {
      if (!request.readOnly) await undo(request);
      limits.signal.throwIfAborted();
      throw endedEarly(thrown, limits.timeLimitMs);
    }
    if ("answer" in reply) return reply.answer;
    throw sqlFailed(`The database refused the statement: ${reply.fault}.`);
  };

  return {
    run(request, limits) {
      const result = last.then(() => run(request, limits));
      last = result.catch(() => {});
      return result;
    },
    close: stop,
  };
}

class TimeLimitPassed extends Error {}
class MemoryLimitPassed extends Error {}

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

interface Child {
  ask(line: string, limits: SqliteLimits): Promise<string>;
  kill(): void;
}

async function startChild(command: readonly string[], clock: Clock): Promise<Child> {
  const child = Bun.spawn(limitedCommand(command, process.pid), {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    env: {},
    cwd: "/",
  });
  const lines = linesOf(child.stdout);
  const kill = () => child.kill("SIGKILL");

  const nextLine = async (timeLimitMs: number, stopped: Promise<never>): Promise<string> => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const cancel = clock.timer(timeLimitMs, () => reject(new TimeLimitPassed()));
    try {
      const { value, done } = await Promise.race([lines.next(), late, stopped]);
      if (done) throw new Error("the child ended");
      return value;
    } finally {
      cancel();
    }
  };

  try {
    await nextLine(START_LIMIT_MS, new Promise<never>(() => {}));
  } catch (thrown) {
    kill();
    throw thrown;
  }
  return {
    async ask(line, { timeLimitMs, signal }) {
      const { promise: stopped, reject } = Promise.withResolvers<never>();
      // It may stop after the answer has come, when nobody waits any more.
      stopped.catch(() => {});
      const onAbort = () => reject(signal.reason);
      signal.addEventListener("abort", onAbort);
      const endWatch = watchMemory(child.pid, clock, () => reject(new MemoryLimitPassed()));
      try {
        child.stdin.write(`${line}\n`);
        child.stdin.flush();
        return await nextLine(timeLimitMs, stopped);
      } finally {
        endWatch();
        signal.removeEventListener("abort", onAbort);
      }
    },
    kill,
  };
}

/** Looks at the memory of a process again and again until it is told to end. */
function watchMemory(pid: number, clock: Clock, onTooMuch: () => void): () => void {
  let cancel = () => {};
  let ended = false;
  const look = async () => {
    const bytes = await residentMemory(pid);
    if (ended) return;
    if (bytes !== undefined && bytes > MEMORY_BYTES_MAX) onTooMuch();
    else again();
  };
  const again = () => {
    cancel = clock.timer(MEMORY_LOOK_MS, () => void look());
  };
  again();
  return () => {
    ended = true;
    cancel();
  };
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
