import type { Clock } from "../clock.ts";
import { hangMsDefault, NoAnswer } from "../outages/server-watch.ts";
import { PostgresConnections, type TakenConnection } from "./postgres-connections.ts";
import { isConnectionLost, isReadOnly } from "./postgres-failure.ts";
import { connectMs, type PostgresServer } from "./postgres-server.ts";
import { within } from "./within.ts";

export interface PostgresPoolOptions {
  /** Shared by all who call the same server. */
  server: PostgresServer;
  /** Real time: a server's answers don't come by any other. */
  clock: Clock;
  /** Connections at once; they are opened as callers need them. */
  max: number;
  /** The time of one statement, also when it waits for a lock: the server ends it. */
  statementMs: number;
  /** True (the default) to keep statements prepared on the server. */
  prepare?: boolean;
  /** The name of each connection at the server. */
  name: string;
  /** True if transactions only read. */
  readOnly?: boolean;
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
  /** True for short work that must not wait for other callers, such as the renewal of a lease. */
  urgent?: boolean;
}

/** Within the 5 seconds after which a route answers in any case. */
export const requestStatementMs = 3_500;

const idleTimeoutSeconds = 60;
/**
 * A caller waits for a connection while others are done with theirs in such a time, and no longer than `queueMsMax`, or than a statement may
 * take if that is longer.
 */
const queueStillMs = hangMsDefault + 500;
const queueMsMax = 15_000;
/** Work under way when a pool is closed. */
const closeMs = 2_500;
/** Code of ours that keeps a transaction open for so long is stuck; its locks would keep others from working. */
const idleInTransactionMs = 15_000;
/** The server's own limit applies first. If it does not, only this one backend hangs. */
const statementSlackMs = 500;

/**
 * Connections to a PostgreSQL server, each used by one caller at a time. Every wait for an answer is limited. If the server hangs, the pool
 * drops all its connections, callers get `NoAnswer` at once, and the pool connects again when the server answers. All other errors are
 * those of the driver.
 */
export class PostgresPool {
  readonly #options: PostgresPoolOptions;
  readonly #idle = new Set<() => void>();
  readonly #connections: PostgresConnections;
  readonly #stopListening: () => void;
  #busy = 0;
  /** Callers that were done with their connection and content. */
  #served = 0;
  #closed = false;

  constructor(options: PostgresPoolOptions) {
    this.#options = options;
    const { max, clock, server } = options;
    this.#connections = new PostgresConnections({ connect: () => connect(options), max, clock });
    this.#stopListening = server.onLeft(() => this.#connections.dropAll());
  }

  /** Runs `work` on one connection, outside of transactions, and returns its result. */
  async alone<T>(work: (connection: PostgresConnection) => Promise<T>, bounds: Bounds = {}): Promise<T> {
    this.#busy++;
    try {
      this.#options.server.watch.admit();
      const connection = new HeldConnection(await this.#take(bounds.urgent), this.#options, bounds);
      try {
        await connection.begin();
        const result = await work(connection);
        this.#served++;
        return result;
      } finally {
        await connection.giveBack();
      }
    } finally {
      this.#busy--;
      if (this.#busy === 0) for (const wake of this.#idle) wake();
    }
  }

  /** Runs one statement that only reads. A pooler keeps no limits of a connection, so there it gets a transaction that has them. */
  async read<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const { server } = this.#options;
    return this.alone((connection) =>
      server.isPooled ? this.#inTransaction("read only", connection, work) : work(connection),
    );
  }

  /** Runs `work` in a transaction and returns its result after the commit. `mode` follows `begin`. */
  async transact<T>(
    mode: string,
    work: (connection: PostgresConnection) => Promise<T>,
    bounds: Bounds = {},
  ): Promise<T> {
    return this.alone((connection) => this.#inTransaction(mode, connection, work, bounds), bounds);
  }

  async #inTransaction<T>(
    mode: string,
    connection: PostgresConnection,
    work: (connection: PostgresConnection) => Promise<T>,
    { unhurried = false }: Bounds = {},
  ): Promise<T> {
    const { server, statementMs } = this.#options;
    const begin = `begin ${mode}`;
    await connection.unsafe(
      server.isPooled ? `${begin}; ${localLimits(unhurried ? 0 : statementMs)}` : begin,
    );
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
  }

  /** Waits for running work, at most as long as a healthy server needs for an answer, and ends the connections. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { clock } = this.#options;
    if (this.#busy > 0) {
      const ended = Promise.withResolvers<void>();
      this.#idle.add(ended.resolve);
      const cancelTimer = clock.timer(closeMs, ended.resolve);
      await ended.promise;
      cancelTimer();
    }
    this.#stopListening();
    await within(clock, connectMs, this.#connections.close()).catch(() => undefined);
  }

  async #take(urgent?: boolean): Promise<TakenConnection> {
    const taking = this.#connections.take(urgent);
    try {
      return await this.#options.server.watch.during(this.#inTurn(taking));
    } catch (thrown) {
      taking.then(
        (late) => late.giveBack(),
        () => undefined,
      );
      throw thrown;
    }
  }

  /** Waits while callers before this one are served; a server that is busy is not one that hangs. */
  async #inTurn(taking: Promise<TakenConnection>): Promise<TakenConnection> {
    const queueMs = Math.max(queueMsMax, this.#options.statementMs);
    for (let waitedMs = 0; ; waitedMs += queueStillMs) {
      const served = this.#served;
      try {
        return await within(this.#options.clock, queueStillMs, taking);
      } catch (thrown) {
        if (!(thrown instanceof NoAnswer)) throw thrown;
        if (this.#served === served || waitedMs + queueStillMs >= queueMs) throw thrown;
      }
    }
  }
}

const limitsOf = (statementMs: number) => ({
  statement_timeout: statementMs,
  idle_in_transaction_session_timeout: idleInTransactionMs,
});

/** The limits as statements, for one transaction. */
const localLimits = (statementMs: number) =>
  Object.entries(limitsOf(statementMs))
    .map(([name, ms]) => `set local ${name} = ${ms}`)
    .join("; ");

const connect = ({ server, statementMs, prepare = true, name, readOnly = false }: PostgresPoolOptions) =>
  server.client({
    prepare,
    named: { application_name: name, timezone: "UTC" },
    settings: { ...limitsOf(statementMs), default_transaction_read_only: readOnly },
    idleSeconds: idleTimeoutSeconds,
  });

/** A connection while one caller holds it. A connection that got no answer does not return to the pool. */
class HeldConnection implements PostgresConnection {
  readonly #taken: TakenConnection;
  readonly #options: PostgresPoolOptions;
  readonly #unhurried: boolean;
  readonly #changesLimit: boolean;
  #isLost = false;

  constructor(taken: TakenConnection, options: PostgresPoolOptions, { unhurried = false }: Bounds) {
    this.#taken = taken;
    this.#options = options;
    // A pooler would give the changed limit to others.
    this.#changesLimit = unhurried && !options.server.isPooled;
    this.#unhurried = unhurried;
  }

  unsafe(text: string, parameters: readonly unknown[] = []): Promise<unknown[]> {
    return this.#answered(() => this.#taken.sql.unsafe(text, [...parameters]));
  }

  rows(text: string, parameters: readonly unknown[] = []): Promise<unknown[][]> {
    return this.#answered(() => this.#taken.sql.unsafe(text, [...parameters]).values());
  }

  async begin(): Promise<void> {
    if (this.#changesLimit) await this.unsafe("set statement_timeout = 0");
  }

  async giveBack(): Promise<void> {
    if (this.#changesLimit && !this.#isLost) {
      await this.unsafe(`set statement_timeout = ${this.#options.statementMs}`).catch(() => {
        this.#isLost = true;
      });
    }
    if (this.#isLost) this.#taken.drop();
    else this.#taken.giveBack();
  }

  /** Waits as long as the server as such answers, and no longer than a statement may take. */
  async #answered<T>(ask: () => PromiseLike<T>): Promise<T> {
    const { server, clock, statementMs } = this.#options;
    const { watch } = server;
    if (this.#isLost) throw new NoAnswer();
    try {
      const answer = ask();
      const inTime = this.#unhurried ? answer : within(clock, statementMs + statementSlackMs, answer);
      const result = await watch.during(inTime);
      watch.heard();
      return result;
    } catch (thrown) {
      if (isConnectionLost(thrown)) this.#isLost = true;
      else if (thrown instanceof Bun.SQL.PostgresError) watch.heard();
      if (isReadOnly(thrown)) server.leave();
      throw thrown;
    }
  }
}
