import type { ReservedSQL, SQL } from "bun";
import type { Clock } from "../clock.ts";
import { postgresHosts } from "../database-address.ts";
import { hangMsDefault, NoAnswer, ServerWatch, type ServerWatchOptions } from "../outages/server-watch.ts";
import { dispose, PostgresClient } from "./postgres-client.ts";
import { isConnectionLost, isTimeout } from "./postgres-failure.ts";
import { within } from "./within.ts";

/** How a pool opens its connections. */
export interface ConnectionSettings {
  /** True (the default) to keep statements prepared on the server, unless a pooler stands before it. */
  prepare?: boolean;
  /** Parameters that poolers keep as well: `application_name`, `timezone`. */
  named: Record<string, string>;
  /** Parameters that only a server takes. */
  settings?: Record<string, string | number | boolean>;
  /** Until the driver closes an idle connection; never unless given. */
  idleSeconds?: number;
}

/** A login included; the watch knows by then whether the server hangs. */
export const connectMs = hangMsDefault + 500;
/** A host that says nothing takes no longer if there are others to ask. */
const connectToOneOfSeveralMs = 1_500;

/** Each host of the address that answers is a standby. */
export class OnlyStandbys extends Error {
  override readonly name = "OnlyStandbys";
}

/** A pooler took the connection, but not its settings. */
class SettingsDropped extends Error {}

/**
 * One database as its address names it: its hosts, which of them takes writes, and whether a pooler such as PgBouncer stands before it. A
 * pooler in transaction mode gives each transaction another connection to the server, so neither prepared statements nor the settings of a
 * connection last there. It refuses such settings, or drops them silently; both are noticed at the first connection.
 */
export class PostgresServer {
  readonly watch: ServerWatch;
  readonly #hosts: readonly string[];
  readonly #onLeft = new Set<() => void>();
  #host = 0;
  #isPooled: boolean | undefined;

  constructor(url: string, clock: Clock, times: Pick<ServerWatchOptions, "suspectMs" | "hangMs" | "held">) {
    this.#hosts = postgresHosts(url);
    this.watch = new ServerWatch({ ...times, clock, probe: () => this.#probe(clock) });
  }

  /** True if a pooler stands before the server; known once a connection was opened. */
  get isPooled(): boolean {
    return this.#isPooled === true;
  }

  client(settings: ConnectionSettings): PostgresClient {
    return new PostgresClient({
      hasSeveralHosts: this.#hosts.length > 1,
      open: (attempting) => this.#open(settings, attempting),
    });
  }

  /** Ends all connections: the host takes no writes any more. The next connections go to one that does. */
  leave(): void {
    for (const left of this.#onLeft) left();
  }

  /** Calls `left` each time all connections are of no use any more. Returns how to stop that. */
  onLeft(left: () => void): () => void {
    this.#onLeft.add(left);
    const stop = this.watch.onLost(left);
    return () => {
      this.#onLeft.delete(left);
      stop();
    };
  }

  /** Opens a connection to a host that takes writes, beginning with the one that did last. */
  async #open(settings: ConnectionSettings, attempting: (sql: SQL) => boolean): Promise<ReservedSQL> {
    let failure: unknown = new NoAnswer();
    for (let failed = 0; failed < this.#hosts.length; ) {
      const [host, isPooled] = [this.#host, this.#isPooled];
      const sql = this.#sql(settings);
      if (!attempting(sql)) break;
      try {
        const reserved = await sql.reserve();
        await this.#look(reserved, settings);
        return reserved;
      } catch (thrown) {
        dispose(sql);
        failure = thrown;
        if (isSettingsRefused(thrown)) this.#isPooled = true;
        // Another caller may have learned it meanwhile; then nothing was tried in vain but the way.
        if (this.#isPooled === true && isPooled !== true) continue;
        failed++;
        if (!(thrown instanceof OnlyStandbys || isConnectionLost(thrown))) break;
        if (this.#host === host) this.#host = (host + 1) % this.#hosts.length;
      }
    }
    throw failure;
  }

  #sql({ prepare = true, named, settings, idleSeconds = 0 }: ConnectionSettings): SQL {
    const ms = this.#hosts.length > 1 ? connectToOneOfSeveralMs : connectMs;
    return new Bun.SQL({
      url: this.#hosts[this.#host],
      max: 1,
      prepare: prepare && !this.isPooled,
      connectionTimeout: ms / 1000,
      idleTimeout: idleSeconds,
      connection: this.isPooled ? named : { ...named, ...settings },
    });
  }

  /** Throws if a pooler dropped the settings, or if the host is a standby while there are others. */
  async #look(reserved: ReservedSQL, { settings }: ConnectionSettings): Promise<void> {
    const wantedTimeout = this.#isPooled === undefined ? settings?.statement_timeout : undefined;
    if (wantedTimeout === undefined && this.#hosts.length === 1) return;
    const [server] = await reserved.unsafe(
      "select setting as timeout, pg_is_in_recovery() as is_standby from pg_settings where name = 'statement_timeout'",
    );
    if (wantedTimeout !== undefined) {
      this.#isPooled = server.timeout !== String(wantedTimeout);
      if (this.#isPooled) throw new SettingsDropped();
    }
    if (this.#hosts.length > 1 && server.is_standby) throw new OnlyStandbys("No host takes writes.");
  }

  /** Asks the server something over a connection of its own. */
  async #probe(clock: Clock): Promise<void> {
    const client = this.client({ prepare: false, named: { application_name: "argosy probe" } });
    try {
      await within(
        clock,
        connectMs,
        client.reserve().then((reserved) => reserved.unsafe("select 1")),
      );
    } catch (thrown) {
      // A refusal is an answer; the next caller gets the actual error.
      if (isTimeout(thrown)) throw thrown;
    } finally {
      dispose(client);
    }
  }
}

/** PgBouncer's and Odyssey's refusal of a parameter that they don't keep, also as `options`. */
const isSettingsRefused = (thrown: unknown): boolean =>
  thrown instanceof Bun.SQL.PostgresError &&
  thrown.errno === "08P01" &&
  /startup parameter/.test(thrown.message);
