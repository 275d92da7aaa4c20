import type { ResponseBody } from "../../../contracts/daemon/responses.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import { failResponse } from "./response-events.ts";
import { abandonedResponses, endResponse, holdResponses, pruneResponses, type Responses } from "./store.ts";

const everyMs = 10_000;
/** A process that renews no lease for this long is dead. */
const holdMs = 60_000;
/** As long as OpenAI keeps them. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

export interface ResponseRunsPorts {
  storage: Responses;
  /** Id of this process. */
  owner: string;
  clock: Clock;
  log: Logger;
}

/** Stored responses, and those that this process runs in the background. */
export class ResponseRuns {
  readonly storage: Responses;
  readonly owner: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<void> }>();

  constructor({ storage, owner, clock, log }: ResponseRunsPorts) {
    this.storage = storage;
    this.owner = owner;
    this.#clock = clock;
    this.#log = log;
  }

  /** Fails what an earlier process left. Only one process at a time opens a SQLite file. */
  async recover(): Promise<void> {
    if (this.storage.dialect === "sqlite") await this.#failAbandoned(undefined);
  }

  /** The end of the lease of what begins now. */
  heldUntil(): Date {
    return new Date(this.#clock.now().getTime() + holdMs);
  }

  /** Runs in the background, until `cancel` or the end of the process. */
  start(id: string, run: (signal: AbortSignal) => Promise<void>): void {
    const stop = new AbortController();
    const ended = run(stop.signal)
      .catch((cause: unknown) => this.#log.error("response.not_stored", { response_id: id, err: cause }))
      .finally(() => this.#running.delete(id));
    this.#running.set(id, { stop, ended });
  }

  /** Stops a run of this process; another process sees in its next round that it no longer has the response. */
  stop(id: string): void {
    this.#running.get(id)?.stop.abort(new DOMException("The response was cancelled.", "AbortError"));
  }

  worker(): Worker {
    return repeatedWorker("response-keeper", everyMs, this.#clock, () => this.keep(), { afterMs: everyMs });
  }

  /** Renews leases, stops what was cancelled elsewhere, fails what a dead process left, and deletes what is old. */
  async keep(): Promise<void> {
    const now = this.#clock.now();
    const running = [...this.#running.keys()];
    const heldIds = new Set(await holdResponses(this.storage, this.owner, running, this.heldUntil()));
    for (const id of running) if (!heldIds.has(id)) this.stop(id);
    await this.#failAbandoned(now);
    await pruneResponses(this.storage, new Date(now.getTime() - keptMs));
  }

  /** Resolves when nothing runs in the background any more. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #failAbandoned(heldBefore: Date | undefined): Promise<void> {
    for (;;) {
      const rows = await abandonedResponses(this.storage, heldBefore);
      for (const { tenant, id, body } of rows) {
        const response = JSON.parse(body) as ResponseBody;
        failResponse(response, { status: 500, message: "The process that ran it ended." });
        await endResponse(this.storage, tenant, id, { status: "failed", body: JSON.stringify(response) });
        this.#log.warn("response.abandoned", { response_id: id });
      }
      if (rows.length === 0) return;
    }
  }
}
