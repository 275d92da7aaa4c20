import { AppError } from "../../kit/app-error.ts";
import { type Clock, sleep } from "../../kit/clock.ts";
import type { BackgroundGate } from "../../kit/concurrency/background-gate.ts";
import type { KnownOwners } from "../../kit/concurrency/known-owners.ts";
import { OwnerPlaces } from "../../kit/concurrency/owner-places.ts";
import type { NewId } from "../../kit/id.ts";
import type { Logger } from "../../kit/log.ts";
import type { Random } from "../../kit/retry.ts";
import type { Worker } from "../../kit/worker.ts";
import { isStorageAway, roundsThroughOutages, untilStored } from "../../storage/until-stored.ts";
import type { OutboxBell } from "../outbox/outbox-bell.ts";
import {
  abandonedEvents,
  claimEvents,
  type EventClaim,
  hasWaitingSuspects,
  moveEvent,
  renewEvents,
} from "./claim-events.ts";
import { isLeaseLost } from "./close-event.ts";
import type { InboundMetrics } from "./inbound-metrics.ts";
import { type InboundInput, suspectFrom, triesMax } from "./inbound-step.ts";
import type { InboxRow, InboxStorage } from "./schema.ts";

/** What a try came to: the event is closed, or it is tried again after a wait. */
export type Processed =
  | { type: "closed"; outcome: string }
  | { type: "later"; waitMs: number; change?: Partial<Pick<InboxRow, "plan" | "lane">> };

export interface InboundPorts {
  storage: InboxStorage;
  /** Processes one event, and closes it together with its effects. Rejects for a fault of our own, or if `signal` aborts. */
  process(row: InboxRow, signal: AbortSignal): Promise<Processed>;
  /** Closes an event that failed too often, with what its sender gets for it. */
  park(row: InboxRow): Promise<void>;
  /** Told of each event that was interrupted too often, after it is parked. */
  parked?(row: InboxRow): Promise<void>;
  inboundBell: OutboxBell;
  /** Keeps the processing from delaying deliveries and other requests. */
  gate: BackgroundGate;
  inboundMetrics: InboundMetrics;
  /** Events that this process works on at the same time. */
  workers: number;
  /** Places that one owner may have for each that remains free. Absent: three quarters of all, if there are no others. */
  placesPerFree?: number;
  /** Aborts work that is under way. Absent: it ends when the worker stops. */
  stopping?: AbortSignal;
  /** The persons behind tenants, who take turns. */
  tenantOwners: KnownOwners;
  /** Id of this process in leases. */
  owner: string;
  clock: Clock;
  newId: NewId;
  random: Random;
  log: Logger;
}

const isConflict = (thrown: unknown) => thrown instanceof AppError && thrown.code === "transaction_conflict";

/** Another process takes over what a lost one had in work within 15 seconds: the lease and one sweep. */
const leaseMs = 12_000;
const renewMs = 4_000;
const placesPerFreeDefault = 3;
const pollMs = 1_000;
/** Rounds take about a second each. */
const silenceMaxMs = 30_000;
const sweepMs = 2_000;
const sweptTogether = 200;
/** Events of one claim. */
const claimedTogether = 16;

/** Worker that processes delivered events. Several processes may run it on one database. */
export const inboundWorker = (ports: InboundPorts): Worker => ({
  name: "inbound",
  silenceMaxMs,
  run: (signal, beat) => new InboundRun(ports).run(signal, beat),
});

/** One run of the worker. */
class InboundRun {
  readonly #ports: InboundPorts;
  readonly #inWork = new Map<string, { work: Promise<void>; lost: AbortController; isSuspect: boolean }>();
  /** As of the last sweep. */
  #hasSuspects = false;
  readonly #stopping = new AbortController();
  readonly #places: OwnerPlaces;
  #sweepAtMs: number;

  constructor(ports: InboundPorts) {
    this.#ports = ports;
    this.#sweepAtMs = ports.clock.monotonicMs();
    this.#places = new OwnerPlaces(ports.workers, ports.placesPerFree ?? placesPerFreeDefault);
  }

  async run(signal: AbortSignal, beat?: () => void): Promise<void> {
    const { clock, stopping = signal, log } = this.#ports;
    const stop = () => this.#stopping.abort(stopping.reason);
    stopping.addEventListener("abort", stop, { once: true });
    const ended = new AbortController();
    const renewing = this.#renew(ended.signal);
    const round = async () => {
      await this.#round(signal);
      beat?.();
    };
    try {
      await roundsThroughOutages(clock, signal, round, (err) => log.error("inbound.storage_away", { err }));
    } catch (thrown) {
      // The worker is restarted soon, and not only after the longest run.
      this.#stopping.abort(thrown);
      throw thrown;
    } finally {
      if (stopping === signal) stop();
      await Promise.all([...this.#inWork.values()].map(({ work }) => work));
      stopping.removeEventListener("abort", stop);
      ended.abort();
      await renewing;
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { clock, inboundBell } = this.#ports;
    if (clock.monotonicMs() >= this.#sweepAtMs) {
      await this.#sweep();
      this.#sweepAtMs = clock.monotonicMs() + sweepMs;
    }
    const limit = Math.min(this.#places.room, claimedTogether);
    const claimed = limit > 0 ? await this.#claim(limit) : [];
    for (const row of claimed) this.#start(row);
    const suspects = limit > claimed.length ? await this.#claimSuspect() : [];
    for (const row of suspects) this.#start(row);
    if (this.#places.free === 0 || claimed.length + suspects.length < limit)
      await inboundBell.wait(pollMs, signal);
  }

  #claim(limit: number, interrupted?: EventClaim["interrupted"]): Promise<InboxRow[]> {
    const { storage, owner, newId, clock, tenantOwners } = this.#ports;
    const busy = this.#places.full().flatMap((full) => tenantOwners.tenantsOf(full));
    const claim = { owner, attemptId: newId(), now: clock.now(), limit, leaseMs, busy };
    return claimEvents(storage, { ...claim, ...(interrupted && { interrupted }) });
  }

  /** Claims an event that was interrupted more than once, if there is one and none is in work here. */
  async #claimSuspect(): Promise<InboxRow[]> {
    if (!this.#hasSuspects || [...this.#inWork.values()].some(({ isSuspect }) => isSuspect)) return [];
    return this.#claim(1, { least: suspectFrom, most: 2 ** 31 - 1 });
  }

  #start(row: InboxRow): void {
    const lost = new AbortController();
    const leave = this.#places.take(this.#ports.tenantOwners.of(row.tenantId));
    const signal = AbortSignal.any([this.#stopping.signal, lost.signal]);
    const work = this.#try(row, signal).finally(() => {
      leave();
      this.#inWork.delete(row.id);
      // The next event of the conversation may go now.
      this.#ports.inboundBell.ring();
    });
    this.#inWork.set(row.id, { work, lost, isSuspect: row.interruptions >= suspectFrom });
  }

  /** Never rejects. What the storage takes neither now nor later is left to the lease. */
  async #try(row: InboxRow, signal: AbortSignal): Promise<void> {
    const { storage, gate, process, park, clock, random, inboundMetrics, tenantOwners, log } = this.#ports;
    const move = (input: InboundInput, change?: Parameters<typeof moveEvent>[4]) =>
      untilStored(clock, signal, () => moveEvent(storage, row, input, clock.now(), change));
    try {
      const processed = await gate.run(() => process(row, signal), signal, tenantOwners.of(row.tenantId));
      if (processed.type === "closed") return inboundMetrics.closed(row.channel, processed.outcome);
      const { waitMs, change } = processed;
      await move({ type: "later", waitMs }, change);
    } catch (thrown) {
      if (isLeaseLost(thrown)) {
        log.warn("inbound.too_late", { event: row.id });
        return;
      }
      try {
        if (signal.aborted) {
          await move({ type: "stopped" });
          return;
        }
        // Other conversations wrote at the same time, or the storage is away. That is not a fault of this message, so the try does not count.
        if (isConflict(thrown) || isStorageAway(thrown)) {
          await move({ type: "later", waitMs: 0 });
          return;
        }
        log.error("inbound.failed", { event: row.id, kind: row.kind, tries: row.tries + 1, err: thrown });
        if (row.tries + 1 < triesMax) {
          await move({ type: "broke", spread: random() });
          return;
        }
        inboundMetrics.closed(row.channel, "parked");
        await untilStored(clock, signal, () => park(row)).catch((err) => {
          log.error("inbound.not_answered", { event: row.id, err });
          return move({ type: "broke", spread: 0 }, { outcome: "parked" });
        });
      } catch (err) {
        if (!isLeaseLost(err)) log.error("inbound.not_stored", { event: row.id, err });
      }
    }
  }

  /** Gives back what other processes left unfinished. */
  async #sweep(): Promise<void> {
    const { storage, owner, clock, log, inboundMetrics, parked } = this.#ports;
    for (;;) {
      const rows = await abandonedEvents(storage, owner, sweptTogether);
      const left = rows.filter(({ id }) => !this.#inWork.has(id));
      let moved = 0;
      for (const row of left) {
        const state = await moveEvent(storage, row, { type: "interrupted" }, clock.now());
        if (state !== undefined) moved++;
        if (state !== "parked") continue;
        inboundMetrics.closed(row.channel, "parked");
        log.error("inbound.parked", { event: row.id, interruptions: row.interruptions + 1 });
        await untilStored(clock, this.#stopping.signal, async () => parked?.(row));
      }
      if (moved > 0) log.warn("inbound.interrupted", { events: moved });
      if (moved === 0 || rows.length < sweptTogether) break;
    }
    this.#hasSuspects = await hasWaitingSuspects(storage);
  }

  /** Renews the leases of running events, and cancels those that lost theirs. */
  async #renew(signal: AbortSignal): Promise<void> {
    const { storage, owner, clock, log } = this.#ports;
    while (!signal.aborted) {
      await sleep(clock, renewMs, signal).catch(() => undefined);
      const ids = [...this.#inWork.keys()];
      try {
        const renewed = new Set(await renewEvents(storage, owner, ids, leaseMs));
        for (const id of ids) {
          if (!renewed.has(id))
            this.#inWork.get(id)?.lost.abort(new DOMException("lease lost", "AbortError"));
        }
      } catch (err) {
        log.error("inbound.not_renewed", { events: ids.length, err });
      }
    }
  }
}
