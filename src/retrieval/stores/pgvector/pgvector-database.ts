import { SQL, type TransactionSQL } from "bun";
import type { CallGuard } from "../../../kit/call-guard.ts";
import type { Clock } from "../../../kit/clock.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import { type Random, retry } from "../../../kit/retry.ts";
import { untilAborted } from "../../../kit/until-aborted.ts";
import { guardStore, StoreOutage, storeUnavailable } from "../store-failure.ts";
import { mayPass, postgresFailure } from "./pgvector-failure.ts";

export interface PgvectorDatabaseOptions {
  url: string;
  clock: Clock;
  random: Random;
  connectionsMax: number;
}

/** A server that restarts is back within these, or the caller hears of it. */
const delaysMs = [100, 400, 1500];
const deadlineMs = 60_000;
const connectTimeoutSeconds = 10;
const idleTimeoutSeconds = 60;

/** Transactions against the server with the vectors; connections are made when they are needed. */
export class PgvectorDatabase {
  readonly #options: PgvectorDatabaseOptions;
  readonly #sql: SQL;
  readonly #guard: CallGuard;
  #closed = false;

  constructor(options: PgvectorDatabaseOptions) {
    this.#options = options;
    this.#guard = guardStore("The PostgreSQL server that holds the vectors", options.clock);
    this.#sql = new SQL({
      url: options.url,
      max: options.connectionsMax,
      // A filter makes a statement of its own: kept ones would pile up at the server, and poolers lose them.
      prepare: false,
      connectionTimeout: connectTimeoutSeconds,
      idleTimeout: idleTimeoutSeconds,
      connection: { application_name: "argosy vectors", statement_timeout: deadlineMs, timezone: "UTC" },
    });
  }

  /**
   * What `work` resolves to, in a transaction. It may be called again, so it has to be without other effects. Throws
   * AppError `vectors_unavailable`, whatever AppError `work` throws, or the signal's reason.
   */
  async transact<T>(work: (tx: TransactionSQL) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#guard(() => this.#attempt((sql) => sql.begin(work), signal), signal);
  }

  /** The outcome of work on one connection, outside of transactions and without a limit of time. */
  async alone<T>(work: (connection: SQL) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#guarded(async () => {
      const connection = await this.#sql.reserve();
      try {
        await connection.unsafe("set statement_timeout = 0");
        return await untilAborted(signal, () => work(connection));
      } finally {
        await connection.unsafe(`set statement_timeout = ${deadlineMs}`).catch(() => undefined);
        connection.release();
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#sql.close({ timeout: 0 });
  }

  #attempt<T>(work: (sql: SQL) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { clock, random } = this.#options;
    const deadline = startDeadline(clock, deadlineMs, tooSlow, signal ? [signal] : []);
    return this.#guarded(() =>
      retry(() => untilAborted(deadline.signal, () => work(this.#sql)), {
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
