import type { MemoryOwner } from "../../../../engine/memory/long-term-memory.ts";
import { toAppError } from "../../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../../kit/clock.ts";
import { OwnerPlaces } from "../../../../kit/concurrency/owner-places.ts";
import { type SerialQueue, serialQueue } from "../../../../kit/concurrency/serial-queue.ts";
import { untilAborted } from "../../../../kit/concurrency/until-aborted.ts";
import type { Logger } from "../../../../kit/log.ts";
import { retryDelayMs } from "../../../../kit/retry.ts";
import { roundMaxMs, type Worker } from "../../../../kit/worker.ts";
import type { MemoryIndex, MemoryText } from "../../../../retrieval/memory/memory-index.ts";
import { retryWork, type WorkKind } from "../../../../storage/begun-work.ts";
import { doCounted } from "../../../../storage/counted-work.ts";
import type { Storage } from "../../../../storage/storage.ts";
import { isStorageAway, storageRetryMs, untilStored } from "../../../../storage/until-stored.ts";
import { findCollection } from "./collection-records.ts";
import type { SemanticTables } from "./schema.ts";
import {
  bytesOfText,
  claimWrites,
  countWrites,
  dueAtOnce,
  endWrites,
  hasWrites,
  insertWrites,
  type MemoryWrite,
  type NewWrite,
  postponeWrites,
  textsLeft,
} from "./store.ts";

export interface WriterPorts {
  storage: Storage<SemanticTables>;
  /** Returns an agent's current memory, ready for writing; undefined while the agent is not loaded. */
  indexOf: (owner: MemoryOwner, signal: AbortSignal) => Promise<MemoryIndex | undefined>;
  /** Name of the store and embedder that an agent's writes use. */
  wayOf: (owner: MemoryOwner) => string;
  /** The person behind a tenant, who shares the ways with others. */
  personOf: (tenant: string) => string;
  /** Id of this process, new at each start. */
  process: string;
  clock: Clock;
  log: Logger;
  /** Called at each failure that keeps texts waiting. */
  failed: () => void;
}

/** Number of writes claimed at once, and the duration of a claim. */
const claimedTogether = 64;
const claimMs = 300_000;
/** Delays after failures of a store or an embedder, and while an agent is not loaded. */
const retryDelaysMs = [1_000, 5_000, 30_000, 300_000];
const absentMs = 60_000;
/** Interval at which parked writes are looked at again. */
const parkedMs = 3_600_000;
/** Interval for finding writes that other processes left. */
const lookEveryMs = 30_000;
/** Maximum time that a reader waits for earlier texts to become searchable. */
const settleMsMax = 2_000;
/** Maximum time that the process's end waits for running writes. */
const closeMsMax = 3_000;
/** Writes in progress on one way, and of one person for each place that remains free. Further writes stay in the database until there is room. */
const inHandMax = 256;
const placesPerFree = 3;
/** Default limit for the waiting writes of one agent. */
const waitingUsual = 10_000;

/** Writes as work that is taken up again. */
const kind: WorkKind = "memory_writes";
const keyOf = ({ tenant, agent, id }: MemoryWrite) => `${tenant}/${agent}/${id}`;

/** Writes of one agent that this process has accepted and that are not yet in their store. */
interface Lane {
  /** Ids of writes in progress; readers wait for them. */
  coming: Set<string>;
  /** Ids of writes that failed and wait for a retry; readers don't wait for them. */
  late: Set<string>;
  arrived: PromiseWithResolvers<void>;
  turn: SerialQueue;
}

/** One store with one embedder. If either is slow or down, only writes on this way wait. */
interface Way {
  places: OwnerPlaces;
  /** Agents whose writes wait in the database for room, by key. */
  waiting: Map<string, MemoryOwner>;
}

/**
 * Writes texts to the vector stores. `put` resolves when the texts are in the database. Embedding and adding them to a store happens later,
 * is retried until it succeeds, and can be repeated without duplicates.
 */
export class MemoryWriter {
  readonly #ports: WriterPorts;
  readonly #lanes = new Map<string, Lane>();
  readonly #ways = new Map<string, Way>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #draining: Promise<void> | undefined;
  #isAsked = false;
  #hasBegun = false;
  #beat: (() => void) | undefined;
  /** True if the storage failed the last look at what waits. */
  #isBehind = false;

  constructor(ports: WriterPorts) {
    this.#ports = ports;
  }

  /** Queues texts for their store. If `waitingMax` or more writes wait already, the texts are dropped and the log says so. */
  async put(owner: MemoryOwner, writes: readonly NewWrite[], waitingMax = waitingUsual): Promise<void> {
    if (writes.length === 0) return;
    const { storage, log } = this.#ports;
    const lane = this.#laneOf(owner);
    const known = lane.coming.size + lane.late.size;
    if (known >= waitingMax && (await countWrites(storage, owner)) >= waitingMax) {
      log.warn("memory.full", { ...owner, waiting: known });
      return;
    }
    // Registered before the insert, because the writes may be claimed as soon as they are stored.
    for (const { id } of writes) lane.coming.add(id);
    try {
      await insertWrites(storage, writes);
    } catch (thrown) {
      this.#arrive(owner, idsOf(writes));
      throw thrown;
    }
    this.#drain();
  }

  /** Waits up to 2 s until earlier texts are searchable. Does not wait for writes that failed once. */
  async settled(owner: MemoryOwner, signal: AbortSignal): Promise<void> {
    const lane = this.#laneOf(owner);
    if (this.#hasBegun && lane.coming.size === 0) return;
    const timeUp = Promise.withResolvers<void>();
    const cancel = this.#ports.clock.timer(settleMsMax, timeUp.resolve);
    const soon = (what: Promise<void> | undefined) =>
      untilAborted(signal, () => Promise.race([what, timeUp.promise]));
    try {
      // Writes left by an earlier process come first.
      if (!this.#hasBegun) {
        this.#drain();
        await soon(this.#draining);
      }
      if (lane.coming.size > 0) await soon(lane.arrived.promise);
    } finally {
      cancel();
    }
  }

  /** Resolves when no work is in progress. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined || this.#underWay.size > 0) {
      await Promise.all([this.#draining, ...this.#underWay]);
    }
  }

  /** Runs `work` while no writes to the agent's memory are made. */
  alone<T>(owner: MemoryOwner, work: () => Promise<T>): Promise<T> {
    return this.#laneOf(owner).turn(work);
  }

  /** Drops all waiting writes of an agent from this process's record. */
  forgotten(owner: MemoryOwner): void {
    const { coming, late } = this.#laneOf(owner);
    this.#arrive(owner, [...coming, ...late]);
  }

  /** Makes an agent's waiting writes due now. */
  async retry(owner: MemoryOwner): Promise<void> {
    await retryWork(this.#ports.storage, { kind, key: `${owner.tenant}/${owner.agent}/*` });
    await dueAtOnce(this.#ports.storage, owner);
    this.#drain();
  }

  worker(): Worker {
    return {
      name: "memory-writer",
      silenceMaxMs: lookEveryMs + roundMaxMs,
      run: async (signal, beat) => {
        this.#beat = beat;
        while (!signal.aborted) {
          this.#drain();
          await this.#draining;
          const waitMs = this.#isBehind ? storageRetryMs : lookEveryMs;
          await sleep(this.#ports.clock, waitMs, signal).catch(() => undefined);
        }
      },
    };
  }

  /** Finishes writes for up to 3 s; the rest is written after the next start. */
  async close(): Promise<void> {
    const stop = () => this.#stopping.abort(new DOMException("Argosy is stopping.", "AbortError"));
    const cancel = this.#ports.clock.timer(closeMsMax, stop);
    await this.idle();
    cancel();
    stop();
  }

  #drain(): void {
    this.#isAsked = true;
    this.#draining ??= this.#drainAll().then(() => {
      this.#draining = undefined;
      // A drain was requested after the last check.
      if (this.#isAsked && !this.#stopping.signal.aborted) this.#drain();
    });
  }

  async #drainAll(): Promise<void> {
    const { storage, log } = this.#ports;
    const { signal } = this.#stopping;
    try {
      do {
        this.#isAsked = false;
        if (await hasWrites(storage)) await this.#bringAll();
        this.#beat?.();
        this.#hasBegun = true;
        this.#isBehind = false;
      } while (this.#isAsked && !signal.aborted);
    } catch (thrown) {
      // The worker retries.
      this.#isAsked = false;
      if (!this.#isBehind) log.warn("memory.writer_failed", { err: thrown });
      this.#isBehind = true;
    }
  }

  /** Sends all due writes on their ways, without waiting for a store. */
  async #bringAll(): Promise<void> {
    const { storage } = this.#ports;
    // No other process can have claimed writes in a SQLite file.
    if (!this.#hasBegun && storage.dialect === "sqlite") await dueAtOnce(storage);
    while (!this.#stopping.signal.aborted) {
      const except = [...this.#ways.values()].flatMap(({ waiting }) => [...waiting.values()]);
      const rows = await claimWrites(storage, { limit: claimedTogether, untilMs: claimMs, except });
      if (rows.length === 0) return;
      this.#beat?.();
      const byOwner = Map.groupBy(rows, ({ tenant, agent }) => JSON.stringify([tenant, agent]));
      for (const [key, some] of byOwner) await this.#send(key, some);
    }
  }

  /** Sends one agent's writes, or puts them back while there is no room. */
  async #send(key: string, rows: readonly MemoryWrite[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const owner = { tenant: first.tenant, agent: first.agent };
    const way = this.#wayOf(owner);
    const leave = takePlaces(way.places, this.#ports.personOf(owner.tenant), rows.length);
    if (leave === undefined) {
      way.waiting.set(key, owner);
      return postponeWrites(this.#ports.storage, rows, 0);
    }
    // May have been left by another process; readers wait for them from now on.
    for (const id of idsOf(rows)) this.#laneOf(owner).coming.add(id);
    const sent = this.#bringTogether(rows)
      .catch((err) => this.#ports.log.warn("memory.writer_failed", { err }))
      .finally(() => {
        this.#underWay.delete(sent);
        leave();
        if (way.waiting.size === 0) return;
        way.waiting.clear();
        if (!this.#stopping.signal.aborted) this.#drain();
      });
    this.#underWay.add(sent);
  }

  /** Writes one agent's texts together. If that fails, writes each by itself, so a failing one doesn't block the others. */
  async #bringTogether(rows: readonly MemoryWrite[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const owner = { tenant: first.tenant, agent: first.agent };
    try {
      await this.alone(owner, () => this.#bringOnce(owner, rows));
    } catch (thrown) {
      if (rows.length === 1 || toAppError(thrown).kind === "unavailable" || this.#stopping.signal.aborted)
        await this.#postpone(owner, rows, thrown);
      else for (const row of rows) await this.#bringTogether([row]);
    }
  }

  /**
   * Writes texts together, except for those that an earlier process died with: they are written one by one, and those with which three
   * processes died wait until a person retries them.
   */
  #bringOnce(owner: MemoryOwner, rows: readonly MemoryWrite[]): Promise<void> {
    const { storage, process } = this.#ports;
    return doCounted(storage, rows, {
      kind,
      owner: process,
      keyOf,
      work: (some) => this.#bring(owner, some),
      parked: (some) => this.#park(owner, some),
      isStopped: () => this.#stopping.signal.aborted,
    });
  }

  async #park(owner: MemoryOwner, rows: readonly MemoryWrite[]): Promise<void> {
    const { storage, log } = this.#ports;
    log.error("memory.parked", { ...owner, writes: rows.length });
    await postponeWrites(storage, rows, parkedMs);
    this.#delay(owner, rows);
  }

  async #bring(owner: MemoryOwner, rows: readonly MemoryWrite[]): Promise<void> {
    const { storage, indexOf } = this.#ports;
    const { signal } = this.#stopping;
    // Some may have been deleted since the claim, and all of them if their agent was.
    const before = await textsLeft(storage, rows);
    if (before.rows.size === 0) return this.#arrive(owner, idsOf(rows));
    const index = await indexOf(owner, signal);
    if (index === undefined) {
      await postponeWrites(storage, rows, absentMs);
      this.#delay(owner, rows);
      return;
    }
    const texts = rows.flatMap(textsOf).filter(({ id }) => before.texts.has(id));
    await index.add(owner, texts, signal);
    const after = await textsLeft(storage, rows);
    const dimension = await index.embedder.dimension(signal);
    // A missing row was handled by another process, which also removed its deleted texts; or another process deleted the agent.
    const isAgentGone = after.rows.size === 0 && (await findCollection(storage, owner)) === undefined;
    for (const { id } of rows.filter((row) => isAgentGone || after.rows.has(row.id)).flatMap(textsOf)) {
      if (!after.texts.has(id)) await index.remove(owner, dimension, { id });
    }
    await endWrites(storage, owner, rows, (row) =>
      textsOf(row)
        .filter(({ id }) => after.texts.has(id))
        .reduce((sum, text) => sum + bytesOfText(text, dimension), 0),
    );
    this.#arrive(owner, idsOf(rows));
  }

  async #postpone(owner: MemoryOwner, rows: readonly MemoryWrite[], thrown: unknown): Promise<void> {
    const { storage, clock, log, failed } = this.#ports;
    if (this.#stopping.signal.aborted) return postponeWrites(storage, rows, 0);
    failed();
    const attempts = Math.min(...rows.map((row) => row.attempts));
    const delayMs = isStorageAway(thrown) ? storageRetryMs : retryDelayMs(retryDelaysMs, attempts);
    log.warn("memory.waiting", {
      ...owner,
      writes: rows.length,
      code: toAppError(thrown).code,
      retry_in_ms: delayMs,
      err: thrown,
    });
    await untilStored(clock, this.#stopping.signal, () => postponeWrites(storage, rows, delayMs));
    this.#delay(owner, rows);
    clock.timer(delayMs, () => {
      if (!this.#stopping.signal.aborted) this.#drain();
    });
  }

  #arrive(owner: MemoryOwner, ids: readonly string[]): void {
    const lane = this.#laneOf(owner);
    for (const id of ids) {
      lane.coming.delete(id);
      lane.late.delete(id);
    }
    if (lane.coming.size > 0) return;
    lane.arrived.resolve();
    lane.arrived = Promise.withResolvers();
  }

  #delay(owner: MemoryOwner, rows: readonly MemoryWrite[]): void {
    const ids = idsOf(rows);
    this.#arrive(owner, ids);
    for (const id of ids) this.#laneOf(owner).late.add(id);
  }

  #wayOf(owner: MemoryOwner): Way {
    const name = this.#ports.wayOf(owner);
    const known = this.#ways.get(name);
    if (known !== undefined) return known;
    const way: Way = { places: new OwnerPlaces(inHandMax, placesPerFree), waiting: new Map() };
    this.#ways.set(name, way);
    return way;
  }

  #laneOf({ tenant, agent }: MemoryOwner): Lane {
    const key = JSON.stringify([tenant, agent]);
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane = {
      coming: new Set<string>(),
      late: new Set<string>(),
      arrived: Promise.withResolvers<void>(),
      turn: serialQueue(),
    };
    this.#lanes.set(key, lane);
    return lane;
  }
}

function textsOf({ texts, forgotten, sessionId, user, origin }: MemoryWrite): MemoryText[] {
  if (forgotten) return [];
  return texts.map((text) => ({ ...text, session: sessionId, user, origin }));
}

/** Takes a place for each write, or none if there is no room for all. Returns the function that gives them back. */
function takePlaces(places: OwnerPlaces, person: string, count: number): (() => void) | undefined {
  const taken: (() => void)[] = [];
  const leave = () => {
    for (const back of taken) back();
  };
  while (taken.length < count) {
    if (!places.mayTake(person)) {
      leave();
      return undefined;
    }
    taken.push(places.take(person));
  }
  return leave;
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
