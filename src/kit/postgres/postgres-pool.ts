import { type ReservedSQL, SQL } from "bun";
import type { Clock } from "../clock.ts";
import { NoAnswer, ServerWatch } from "./server-watch.ts";

/** Time limits for a server's answers. */
export interface PostgresLimits {
  /** For making a connection, login included, and for the answer to a probe. */
  connectMs: number;
  /** After this time without an answer, a probe checks whether the server hangs. */
  suspectMs: number;
  /** For one statement, including its waits for locks. The server enforces it. */
  statementMs: number;
}

/** A server and the limits for its use. */
export interface PostgresServer {
  url: string;
  limits: PostgresLimits;
  /** Real time: a server's answers do not follow a test's clock. */
  clock: Clock;
}

export interface PostgresPoolOptions extends PostgresServer {
  /** Limit for the number of connections. */
  max: number;
  /** Shared by the pools of one server. By default each pool has its own. */
  watch?: ServerWatch;
  /** True (the default) if the server keeps prepared statements. */
  prepare?: boolean;
  /** Settings of each connection. */
  connection: Record<string, string | number | boolean>;
}

/** One connection, during a transaction. */
export interface PostgresConnection {
  /** Runs one statement and returns its rows as objects. */
  // biome-ignore lint/suspicious/noExplicitAny: a row is what the statement makes of it, as the driver types it.
  unsafe(text: string, parameters?: readonly unknown[]): Promise<any>;
  /** Runs one statement and returns its rows as lists of values. */
  rows(text: string, parameters?: readonly unknown[]): Promise<unknown[][]>;
}

/** The server did not confirm a commit, so its outcome is unknown. */
export class UnconfirmedCommit extends Error {
  override readonly name = "UnconfirmedCommit";

  constructor(cause: unknown) {
    super("The commit was not confirmed.", { cause });
  }
}

interface Bounds {
  /** True if a statement has no time limit; only a server that hangs ends it. */
  unhurried?: boolean;
}

/**
 * Limits with which a route answers within 5 seconds even if the server hangs: 2.5 s until that is suspected, and 1.5 s until a probe
 * confirms it.
 */
export const requestLimits: PostgresLimits = { connectMs: 1_500, suspectMs: 2_500, statementMs: 3_500 };

const idleTimeoutSeconds = 60;
const probeEveryMs = 500;
/** A transaction of ours that is idle for this long is stuck. The server ends it, so that its locks do not block others. */
const idleInTransactionMs = 15_000;
/** The server's own limit applies first. If it does not, only this one backend hangs. */
const statementSlackMs = 500;
/** Grace period in which a process that was paused or busy reads answers that have already arrived. */
const lateMs = 50;

/**
 * Connections to a PostgreSQL server, each used by one caller at a time. Every wait for an answer is limited. If the server hangs, the pool
 * drops all its connections, callers get `NoAnswer` at once, and the pool connects again when the server answers. All other errors are
 * those of the driver.
 */
export class PostgresPool {
  readonly #options: PostgresPoolOptions;
  readonly #watch: ServerWatch;
  readonly #idle = new Set<() => void>();
  #sql: SQL;
  #busy = 0;
  #closed = false;

  constructor(options: PostgresPoolOptions) {
    this.#options = options;
    this.#sql = this.#connect(options.max);
    this.#watch = options.watch ?? watchPostgres(options);
    this.#watch.onLost(() => this.#discardAll());
  }

  /** Runs `work` on one connection, outside of transactions, and returns its result. */
  async alone<T>(work: (connection: PostgresConnection) => Promise<T>, bounds: Bounds = {}): Promise<T> {
    this.#busy++;
    try {
      await this.#watch.admit();
      const held = new HeldConnection(await this.#reserve(), this.#watch, this.#options, bounds);
      try {
        await held.begin();
        return await work(held);
      } finally {
        await held.giveBack();
      }
    } finally {
      this.#busy--;
      if (this.#busy === 0) for (const wake of this.#idle) wake();
    }
  }

  /** Runs `work` in a transaction and returns its result after the commit. `mode` follows `begin`. */
  async transact<T>(
    mode: string,
    work: (connection: PostgresConnection) => Promise<T>,
    bounds: Bounds = {},
  ): Promise<T> {
    return this.alone(async (connection) => {
      await connection.unsafe(`begin ${mode}`);
      let result: T;
      try {
        result = await work(connection);
      } catch (thrown) {
        // A connection that cannot roll back is not used again.
        await connection.unsafe("rollback").catch(() => undefined);
        throw thrown;
      }
      try {
        await connection.unsafe("commit");
      } catch (thrown) {
        throw isConnectionLost(thrown) ? new UnconfirmedCommit(thrown) : thrown;
      }
      return result;
    }, bounds);
  }

  /** Waits for running work, at most as long as a healthy server needs for an answer, and ends the connections. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { clock, limits } = this.#options;
    if (this.#busy > 0) {
      const ended = Promise.withResolvers<void>();
      this.#idle.add(ended.resolve);
      const cancelTimer = clock.timer(limits.suspectMs, ended.resolve);
      await ended.promise;
      cancelTimer();
    }
    this.#watch.close();
    await within(clock, limits.connectMs, this.#sql.close({ timeout: 0 })).catch(() => undefined);
  }

  async #reserve(): Promise<ReservedSQL> {
    const { clock, limits } = this.#options;
    const reserving = this.#sql.reserve();
    try {
      return await within(clock, limits.suspectMs, reserving);
    } catch (thrown) {
      reserving.then(
        (late) => late.release(),
        () => undefined,
      );
      // The server answers but every connection is in use. The caller still fails, because it has waited long enough.
      if (isTimeout(thrown)) await this.#watch.suspect();
      throw thrown;
    }
  }

  #connect(max: number): SQL {
    const { url, limits, prepare = true, connection } = this.#options;
    return new SQL({
      url,
      max,
      prepare,
      connectionTimeout: limits.connectMs / 1000,
      idleTimeout: idleTimeoutSeconds,
      connection: {
        ...connection,
        statement_timeout: limits.statementMs,
        idle_in_transaction_session_timeout: idleInTransactionMs,
      },
    });
  }

  #discardAll(): void {
    const old = this.#sql;
    if (this.#closed) return;
    this.#sql = this.#connect(this.#options.max);
    dispose(old);
  }
}

/** Watches the server with connections of its own. */
export function watchPostgres({ url, limits, clock }: PostgresServer): ServerWatch {
  const probe = async () => {
    const connectionTimeout = limits.connectMs / 1000;
    const connection = { application_name: "argosy probe" };
    const sql = new SQL({ url, max: 1, prepare: false, connectionTimeout, connection });
    try {
      await within(clock, limits.connectMs, sql.unsafe("select 1"));
    } catch (thrown) {
      // A refusal is an answer; the next caller gets the actual error.
      if (isTimeout(thrown)) throw thrown;
    } finally {
      dispose(sql);
    }
  };
  return new ServerWatch({ clock, probe, everyMs: probeEveryMs });
}

/** A connection while one caller holds it. A connection that got no answer does not return to the pool. */
class HeldConnection implements PostgresConnection {
  readonly #connection: ReservedSQL;
  readonly #watch: ServerWatch;
  readonly #clock: Clock;
  readonly #limits: PostgresLimits;
  readonly #unhurried: boolean;
  #isLost = false;

  constructor(
    connection: ReservedSQL,
    watch: ServerWatch,
    { clock, limits }: PostgresPoolOptions,
    { unhurried = false }: Bounds,
  ) {
    this.#connection = connection;
    this.#watch = watch;
    this.#clock = clock;
    this.#limits = limits;
    this.#unhurried = unhurried;
  }

  unsafe(text: string, parameters: readonly unknown[] = []): Promise<unknown[]> {
    return this.#answered(() => this.#connection.unsafe(text, [...parameters]));
  }

  rows(text: string, parameters: readonly unknown[] = []): Promise<unknown[][]> {
    return this.#answered(() => this.#connection.unsafe(text, [...parameters]).values());
  }

  async begin(): Promise<void> {
    if (this.#unhurried) await this.unsafe("set statement_timeout = 0");
  }

  async giveBack(): Promise<void> {
    if (this.#unhurried && !this.#isLost) {
      await this.unsafe(`set statement_timeout = ${this.#limits.statementMs}`).catch(() => {
        this.#isLost = true;
      });
    }
    if (!this.#isLost) return this.#connection.release();
    dispose(this.#connection);
  }

  async #answered<T>(ask: () => PromiseLike<T>): Promise<T> {
    if (this.#isLost) throw new NoAnswer();
    try {
      return await this.#patiently(Promise.resolve(ask()));
    } catch (thrown) {
      if (isConnectionLost(thrown)) this.#isLost = true;
      throw thrown;
    }
  }

  /** Waits while the server answers probes, and at most as long as a statement may take. */
  async #patiently<T>(answer: Promise<T>): Promise<T> {
    const { suspectMs, statementMs } = this.#limits;
    const longestMs = this.#unhurried ? Number.POSITIVE_INFINITY : statementMs + statementSlackMs;
    for (let waitedMs = 0; ; waitedMs += suspectMs) {
      try {
        return await within(this.#clock, Math.min(suspectMs, longestMs - waitedMs), answer);
      } catch (thrown) {
        if (!(thrown instanceof NoAnswer)) throw thrown;
        // Rejects if the server hangs; an answer that arrives meanwhile is used.
        await Promise.race([settled(answer), this.#watch.suspect()]);
        if (waitedMs + suspectMs >= longestMs) throw thrown;
      }
    }
  }
}

/** Ends connections without waiting for the server. */
function dispose(connections: Pick<SQL, "close">): void {
  void (async () => connections.close({ timeout: 0 }))().catch(() => undefined);
}

/** Returns true if the connection cannot be used after this error. */
function isConnectionLost(thrown: unknown): boolean {
  if (thrown instanceof NoAnswer) return true;
  if (!(thrown instanceof Bun.SQL.PostgresError)) return false;
  const code = String(thrown.errno ?? thrown.code);
  return /^(08|57P0|25P03|ERR_POSTGRES_(CONNECTION|IDLE|LIFETIME))/.test(code);
}

const settled = (answer: Promise<unknown>): Promise<unknown> => answer.catch(() => undefined);

const isTimeout = (thrown: unknown) =>
  thrown instanceof NoAnswer ||
  (thrown instanceof Bun.SQL.PostgresError && thrown.code === "ERR_POSTGRES_CONNECTION_TIMEOUT");

/** Returns the result of `answer`; rejects with `NoAnswer` if it takes longer than `ms`. */
async function within<T>(clock: Clock, ms: number, answer: PromiseLike<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  let cancelTimer = clock.timer(ms, () => {
    cancelTimer = clock.timer(lateMs, () => late.reject(new NoAnswer()));
  });
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    cancelTimer();
  }
}
