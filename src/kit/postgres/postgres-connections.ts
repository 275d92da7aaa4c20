import type { ReservedSQL } from "bun";
import type { Clock } from "../clock.ts";
import { NoAnswer } from "../outages/server-watch.ts";
import { dispose, type PostgresClient } from "./postgres-client.ts";

export interface PostgresConnectionsOptions {
  /** Returns a client of at most one connection, which it opens at the first query. */
  connect: () => PostgresClient;
  /** Connections at once. */
  max: number;
  clock: Clock;
}

/** A connection that one caller has for itself until it gives it back or drops it. */
export interface TakenConnection {
  sql: ReservedSQL;
  giveBack: () => void;
  /** Ends the connection without waiting for the server. */
  drop: () => void;
}

interface Waiting {
  resolve: (client: PostgresClient) => void;
  reject: (reason: Error) => void;
}

/** PostgreSQL's code for a login beyond `max_connections`, or beyond the limit of its role. */
export const tooManyConnections = "53300";

/** A server without a free connection is not asked for another one so soon, as long as this process has any. */
const fullMs = 1_000;

/**
 * Connections to one server, opened as callers need them and then kept. Without a free one a caller waits its turn, also when the server
 * allows no more of them. The one used last is taken first, so that those that are not needed reach the driver's idle time-out.
 */
export class PostgresConnections {
  readonly #connect: () => PostgresClient;
  readonly #clock: Clock;
  readonly #max: number;
  readonly #clients = new Set<PostgresClient>();
  readonly #free: PostgresClient[] = [];
  readonly #waiting: Waiting[] = [];
  #fullUntilMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor({ connect, max, clock }: PostgresConnectionsOptions) {
    this.#connect = connect;
    this.#max = max;
    this.#clock = clock;
  }

  /** `first`: before all others that wait. Rejects with the driver's error if no connection can be opened, or `NoAnswer` if all are dropped while the caller waits. */
  async take(first = false): Promise<TakenConnection> {
    if (this.#isClosed) throw new NoAnswer();
    const client = this.#free.pop() ?? this.#open() ?? (await this.#turn(first));
    try {
      const sql = await client.reserve();
      return {
        sql,
        giveBack: () => this.#pass(client, sql),
        drop: () => this.#drop(client),
      };
    } catch (thrown) {
      const isFull = thrown instanceof Bun.SQL.PostgresError && thrown.errno === tooManyConnections;
      if (isFull) this.#fullUntilMs = this.#clock.monotonicMs() + fullMs;
      this.#drop(client);
      if (isFull && this.#clients.size > 0) return this.take(first);
      throw thrown;
    }
  }

  /** Ends all connections without waiting for the server. Callers that wait are refused; later ones get new connections. */
  dropAll(): void {
    for (const client of this.#forgetAll()) dispose(client);
  }

  /** Ends all connections, and takes no more callers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#forgetAll().map((client) => client.close()));
  }

  #open(): PostgresClient | undefined {
    if (this.#clients.size >= this.#max) return undefined;
    if (this.#clients.size > 0 && this.#clock.monotonicMs() < this.#fullUntilMs) return undefined;
    const client = this.#connect();
    this.#clients.add(client);
    return client;
  }

  #turn(first: boolean): Promise<PostgresClient> {
    const { promise, resolve, reject } = Promise.withResolvers<PostgresClient>();
    this.#waiting[first ? "unshift" : "push"]({ resolve, reject });
    return promise;
  }

  #pass(client: PostgresClient, sql: ReservedSQL): void {
    // It was dropped with all others while its caller had it.
    if (!this.#clients.has(client)) {
      dispose(client);
      return;
    }
    sql.release();
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(client);
    else next.resolve(client);
  }

  #drop(client: PostgresClient): void {
    dispose(client);
    if (!this.#clients.delete(client) || this.#waiting.length === 0) return;
    const replacement = this.#open();
    if (replacement !== undefined) this.#waiting.shift()?.resolve(replacement);
  }

  #forgetAll(): PostgresClient[] {
    const clients = [...this.#clients];
    this.#clients.clear();
    this.#free.length = 0;
    for (const { reject } of this.#waiting.splice(0)) reject(new NoAnswer());
    return clients;
  }
}
