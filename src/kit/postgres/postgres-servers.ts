import type { Clock } from "../clock.ts";
import type { ServerWatchOptions } from "../outages/server-watch.ts";
import { PostgresServer } from "./postgres-server.ts";

/** The PostgreSQL servers that a process calls, each watched once: one caller that finds it hanging spares the others the wait. */
export class PostgresServers {
  readonly #clock: Clock;
  readonly #times: Pick<ServerWatchOptions, "suspectMs" | "hangMs" | "held">;
  readonly #servers = new Map<string, PostgresServer>();

  /** `clock` is real time, whatever clock its users live by. */
  constructor(clock: Clock, times: Pick<ServerWatchOptions, "suspectMs" | "hangMs" | "held"> = {}) {
    this.#clock = clock;
    this.#times = times;
  }

  serverOf(url: string): PostgresServer {
    const known = this.#servers.get(url);
    if (known !== undefined) return known;
    const server = new PostgresServer(url, this.#clock, this.#times);
    this.#servers.set(url, server);
    return server;
  }

  close(): void {
    for (const { watch } of this.#servers.values()) watch.close();
    this.#servers.clear();
  }
}
