import type { ResponseBody } from "../../../contracts/daemon/responses.ts";
import { toAppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import { beginWork, endWork } from "../../../storage/begun-work.ts";
import { failResponse } from "./response-events.ts";
import type { ResponseRow } from "./schema.ts";
import {
  abandonedResponses,
  claimResponse,
  endResponse,
  endResponseLeases,
  holdResponses,
  pruneResponses,
  type Responses,
} from "./store.ts";

const everyMs = 10_000;
/** A process that renews no lease for this long is dead. */
const holdMs = 60_000;
/** As long as OpenAI keeps them. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

/** Continues a response of a dead process. */
export type ContinueResponse = (row: ResponseRow, signal: AbortSignal) => Promise<void>;

export interface ResponseRunsPorts {
  storage: Responses;
  /** Id of this process. */
  owner: string;
  clock: Clock;
  log: Logger;
  /** False if what a dead process left fails. */
  isDurable: boolean;
}

/** Stored responses, and those that this process runs in the background. */
export class ResponseRuns {
  readonly storage: Responses;
  readonly owner: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly isDurable: boolean;
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<void> }>();

  constructor({ storage, owner, clock, log, isDurable }: ResponseRunsPorts) {
    this.isDurable = isDurable;
    this.storage = storage;
    this.owner = owner;
    this.#clock = clock;
    this.#log = log;
  }

  /** Lets this process continue what an earlier one left. Only one process at a time opens a SQLite file. */
  async recover(): Promise<void> {
    if (this.storage.dialect === "sqlite") await endResponseLeases(this.storage);
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

  /** Leaves a response to another process. */
  leave(id: string): Promise<void> {
    return endResponseLeases(this.storage, id);
  }

  worker(proceed: ContinueResponse): Worker {
    return repeatedWorker("response-keeper", everyMs, this.#clock, () => this.keep(proceed));
  }

  /** Renews leases, stops what was cancelled elsewhere, continues or fails what a dead process left, and deletes what is old. */
  async keep(proceed: ContinueResponse): Promise<void> {
    const now = this.#clock.now();
    const running = [...this.#running.keys()];
    const heldIds = new Set(await holdResponses(this.storage, this.owner, running, this.heldUntil()));
    for (const id of running) if (!heldIds.has(id)) this.stop(id);
    for (const row of await abandonedResponses(this.storage, now)) await this.#takeOver(row, proceed);
    await pruneResponses(this.storage, new Date(now.getTime() - keptMs));
  }

  /** Resolves when nothing runs in the background any more. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #takeOver(row: ResponseRow, proceed: ContinueResponse): Promise<void> {
    const { id } = row;
    if (this.#running.has(id)) return;
    if (!(await claimResponse(this.storage, row, { owner: this.owner, heldUntil: this.heldUntil() }))) return;
    const key = { kind: "run", key: id } as const;
    const mayContinue = this.isDurable && row.request !== null && row.owner !== null;
    const begun = mayContinue && (await beginWork(this.storage, key, row.owner ?? ""));
    if (begun === false || begun === "parked") return this.#fail(row, "The process that ran it ended.");
    this.#log.info("response.continued", { response_id: id });
    this.start(id, async (signal) => {
      await proceed(row, signal).catch((thrown) => this.#fail(row, toAppError(thrown).message));
      await endWork(this.storage, key.kind, [key.key], { stopped: false });
    });
  }

  async #fail({ tenant, id, body }: ResponseRow, message: string): Promise<void> {
    const response: ResponseBody = JSON.parse(body);
    failResponse(response, { status: 500, message });
    await endResponse(this.storage, tenant, id, { status: "failed", body: JSON.stringify(response) });
    this.#log.warn("response.abandoned", { response_id: id });
  }
}
