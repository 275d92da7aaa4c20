import { type ReservedSQL, SQL } from "bun";
import type { Clock } from "../clock.ts";
import { NoAnswer, ServerWatch } from "./server-watch.ts";

/** How long what is asked of a server may take. */
export interface PostgresLimits {
  /** Making a connection, login included; also the answer to a probe. */
  connectMs: number;
  /** Without an answer for so long, a probe asks whether the server hangs. */
  suspectMs: number;
  /** One statement, also when it waits for a lock: the server ends it. */
  statementMs: number;
}

/** A server, and how it is met. */
export interface PostgresServer {
  url: string;
  limits: PostgresLimits;
  /** Real time: a server's answers don't come by any other. */
  clock: Clock;
}

export interface PostgresPoolOptions extends PostgresServer {
  /** Connections at once. */
  max: number;
  /** Shared by the pools that reach the same server; the pool's own unless given. */
  watch?: ServerWatch;
  /** Whether statements are kept prepared at the server; true. */
  prepare?: boolean;
  /** Settings of each connection. */
  connection: Record<string, string | number | boolean>;
}

/** One connection, during a transaction. */
export interface PostgresConnection {
  /** The rows of one statement, as objects. */
  // biome-ignore lint/suspicious/noExplicitAny: a row is what the statement makes of it, as the driver types it.
  unsafe(text: string, parameters?: readonly unknown[]): Promise<any>;
  /** The rows of one statement, as lists of values. */
  rows(text: string, parameters?: readonly unknown[]): Promise<unknown[][]>;
}

/** Thrown when the server did not confirm a commit: whether it happened is not known. */
export class UnconfirmedCommit extends Error {
  override readonly name = "UnconfirmedCommit";

  constructor(cause: unknown) {
    super("The commit was not confirmed.", { cause });
  }
}

interface Bounds {
  /** No limit for a statement; only a server that hangs ends it. */
  unhurried?: boolean;
}

/**
 * A route that meets a server which hangs answers within 5 seconds: 2.5 until that is suspected, 1.5 until a probe has confirmed it.
 */
export const requestLimits: PostgresLimits = { connectMs: 1_500, suspectMs: 2_500, statementMs: 3_500 };

const idleTimeoutSeconds = 60;
const probeEveryMs = 500;
/** Code of ours that keeps a transaction open for so long is stuck; its locks would keep others from working. */
const idleInTransactionMs = 15_000;
/** The server's own limit comes first; behind it only one backend hangs. */
const statementSlackMs = 500;
/** A process that was stopped or busy reads what has arrived before it calls an answer late. */
const lateMs = 50;

/**
 * Connections to a PostgreSQL server, each used by one caller at a time. Every answer is awaited for a limited time: of a
 * server that hangs all connections are given up, callers get `NoAnswer` at once, and new connections are made when it answers
 * again. Everything else is thrown as the driver throws it.
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

  /** What `work` resolves to, on one connection outside of transactions. */
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

  /** What `work` resolves to, committed; `mode` is what stands behind `begin`. */
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
        // A connection that can't roll back is not used again.
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

  /** Waits for what is under way, as long as a server that answers may take, and ends the connections. */
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
      // The server answers and every connection is in use: the caller has waited long enough all the same.
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

/** Asks the server over connections of its own. */
export function watchPostgres({ url, limits, clock }: PostgresServer): ServerWatch {
  const probe = async () => {
    const connectionTimeout = limits.connectMs / 1000;
    const connection = { application_name: "argosy probe" };
    const sql = new SQL({ url, max: 1, prepare: false, connectionTimeout, connection });
    try {
      await within(clock, limits.connectMs, sql.unsafe("select 1"));
    } catch (thrown) {
      // A refusal is an answer: the next caller hears what it means.
      if (isTimeout(thrown)) throw thrown;
    } finally {
      dispose(sql);
    }
  };
  return new ServerWatch({ clock, probe, everyMs: probeEveryMs });
}

/** A connection while one caller has it; what got no answer is not given back. */
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

  /** Waits as long as the server as such answers, and no longer than a statement may take. */
  async #patiently<T>(answer: Promise<T>): Promise<T> {
    const { suspectMs, statementMs } = this.#limits;
    const longestMs = this.#unhurried ? Number.POSITIVE_INFINITY : statementMs + statementSlackMs;
    for (let waitedMs = 0; ; waitedMs += suspectMs) {
      try {
        return await within(this.#clock, Math.min(suspectMs, longestMs - waitedMs), answer);
      } catch (thrown) {
        if (!(thrown instanceof NoAnswer)) throw thrown;
        // Rejects when the server hangs; an answer that comes meanwhile is taken.
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

/** Whether the connection is of no use after what was thrown. */
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

/** What `answer` resolves to; rejects with `NoAnswer` when it takes longer. */
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
