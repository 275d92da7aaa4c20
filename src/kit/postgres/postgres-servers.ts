import type { Clock } from "../clock.ts";
import { ServerWatch, type ServerWatchOptions } from "../outages/server-watch.ts";
import { probePostgres } from "./postgres-pool.ts";

/** The PostgreSQL servers that a process calls, each watched once: one caller that finds it hanging spares the others the wait. */
export class PostgresServers {
  readonly #clock: Clock;
  readonly #times: Pick<ServerWatchOptions, "suspectMs" | "hangMs" | "held">;
  readonly #watches = new Map<string, ServerWatch>();

  /** `clock` is real time, whatever clock its users live by. */
  constructor(clock: Clock, times: Pick<ServerWatchOptions, "suspectMs" | "hangMs" | "held"> = {}) {
    this.#clock = clock;
    this.#times = times;
  }

  watchOf(url: string): ServerWatch {
    const known = this.#watches.get(url);
    if (known !== undefined) return known;
    const probe = probePostgres(url, this.#clock);
    const watch = new ServerWatch({ ...this.#times, clock: this.#clock, probe });
    this.#watches.set(url, watch);
    return watch;
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.close();
    this.#watches.clear();
  }
}
