import { type Clock, systemClock } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { CallGuard, GuardedCall } from "../../../kit/outages/call-guard.ts";
import { type PostgresConnection, PostgresPool } from "../../../kit/postgres/postgres-pool.ts";
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
    this.#pool = new PostgresPool({
      url,
      max,
      statementMs: deadlineMs,
      watch: servers.watchOf(url),
      clock: systemClock,
      // Each filter is a different statement: prepared ones would accumulate at the server, and poolers lose them.
      prepare: false,
      connection: { application_name: "argosy vectors", timezone: "UTC" },
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

  /** Returns the result of `work` on one connection, outside of transactions and without a time limit. */
  async alone<T>(work: (connection: PostgresConnection) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#guarded(() => untilAborted(signal, () => this.#pool.alone(work, { unhurried: true })));
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
