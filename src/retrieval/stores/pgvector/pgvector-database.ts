import { type Clock, systemClock } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { CallGuard, GuardedCall } from "../../../kit/outages/call-guard.ts";
import { type PostgresConnection, PostgresPool } from "../../../kit/postgres/postgres-pool.ts";
import type { PostgresServer } from "../../../kit/postgres/postgres-server.ts";
import { PostgresServers } from "../../../kit/postgres/postgres-servers.ts";
import { type Random, retry } from "../../../kit/retry.ts";
import { guardStore, noTenant, StoreOutage, storeUnavailable } from "../store-failure.ts";
import { mayPass, postgresFailure } from "./pgvector-failure.ts";

export interface PgvectorDatabaseOptions {
  url: string;
  clock: Clock;
  random: Random;
  connectionsMax: number;
  /** The PostgreSQL servers that this process knows; the database's own unless given. */
  servers?: PostgresServers | undefined;
}

/** Delays between retries: a restarting server is back by then, or the call fails. */
const delaysMs = [100, 400, 1500];
/** A server that answers may look at many vectors, and index what it stores. */
const deadlineMs = 60_000;

/** Runs transactions on the vector server; connects on demand. */
export class PgvectorDatabase {
  readonly #options: PgvectorDatabaseOptions;
  readonly #server: PostgresServer;
  readonly #pool: PostgresPool;
  readonly #ownServers: PostgresServers | undefined;
  readonly #guard: CallGuard;
  #closed = false;

  constructor(options: PgvectorDatabaseOptions) {
    this.#options = options;
    this.#guard = guardStore("The PostgreSQL server that holds the vectors", options.clock);
    const { url, connectionsMax: max } = options;
    const servers = options.servers ?? new PostgresServers(systemClock);
    this.#ownServers = options.servers === undefined ? servers : undefined;
    this.#server = servers.serverOf(url);
    this.#pool = new PostgresPool({
      server: this.#server,
      max,
      statementMs: deadlineMs,
      clock: systemClock,
      // Each filter is a different statement: prepared ones would accumulate at the server.
      prepare: false,
      name: "argosy vectors",
    });
  }

  /**
   * Returns the result of `work` in a transaction. `work` may be called several times, so it must have no other effects. Throws AppError
   * `vectors_unavailable`, any AppError of `work`, or the signal's reason.
   */
  async transact<T>(
    work: (tx: PostgresConnection) => Promise<T>,
    { owner = noTenant, signal }: Partial<GuardedCall> = {},
  ): Promise<T> {
    return this.#guard({ owner, signal }, () => this.#attempt((pool) => pool.transact("", work), signal));
  }

  /**
   * Runs `work` on one connection, outside of transactions and without a time limit, unless another process does so under the same name.
   * The lock is the connection's own. Behind a pooler, where it would stay with a connection that others get, it is a transaction's.
   */
  async locked(
    name: string,
    work: (connection: PostgresConnection) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    const pool = this.#pool;
    const unhurried = { unhurried: true };
    const isOurs = async (connection: PostgresConnection, kind: "" | "xact_") =>
      (await connection.unsafe(`select pg_try_advisory_${kind}lock(hashtext($1)) as ours`, [name]))[0].ours;
    const inSession = async (connection: PostgresConnection) => {
      if (!(await isOurs(connection, ""))) return;
      try {
        await work(connection);
      } finally {
        await connection.unsafe("select pg_advisory_unlock(hashtext($1))", [name]);
      }
    };
    const inTransaction = async (lock: PostgresConnection) => {
      if (!(await isOurs(lock, "xact_"))) return;
      // A statement without parameters, as the last one: the portal of another would keep its snapshot, for which an index would wait.
      await lock.unsafe("set local idle_in_transaction_session_timeout = 0");
      await pool.alone(work, unhurried);
    };
    const run = () =>
      this.#server.isPooled ? pool.transact("", inTransaction, unhurried) : pool.alone(inSession, unhurried);
    return this.#guarded(() => untilAborted(signal, run));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.close();
    this.#ownServers?.close();
  }

  #attempt<T>(work: (pool: PostgresPool) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { clock, random } = this.#options;
    const deadline = startDeadline(clock, deadlineMs, tooSlow, signal ? [signal] : []);
    return this.#guarded(() =>
      retry(() => untilAborted(deadline.signal, () => work(this.#pool)), {
        attempts: delaysMs.length + 1,
        delaysMs,
        clock,
        random,
        shouldRetry: (thrown) => !this.#closed && mayPass(thrown),
        signal: deadline.signal,
      }).finally(() => deadline.dispose()),
    );
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closed) throw storeUnavailable("The vector store is closed.");
    try {
      return await work();
    } catch (thrown) {
      throw postgresFailure(thrown);
    }
  }
}

const tooSlow = () =>
  new StoreOutage(
    "The PostgreSQL server that holds the vectors did not answer in time; see what keeps it busy.",
  );
