import type { MemoryOwner } from "../../../../engine/memory/memory-scope.ts";
import { toAppError } from "../../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../../kit/clock.ts";
import { inTurn } from "../../../../kit/in-turn.ts";
import type { Logger } from "../../../../kit/log.ts";
import { retryDelayMs } from "../../../../kit/retry.ts";
import { untilAborted } from "../../../../kit/until-aborted.ts";
import type { Worker } from "../../../../kit/worker.ts";
import type { MemoryIndex, MemoryText } from "../../../../retrieval/memory/memory-index.ts";
import type { Storage } from "../../../../storage/storage.ts";
import type { SemanticTables } from "./schema.ts";
import {
  claimWrites,
  countWrites,
  deleteWrites,
  dueAtOnce,
  hasWrites,
  insertWrites,
  type MemoryWrite,
  type NewWrite,
  postponeWrites,
  textsLeft,
} from "./store.ts";

export interface WriterPorts {
  storage: Storage<SemanticTables>;
  /** The memory of an agent as it is now, ready to be written to; undefined while the agent is not loaded. */
  indexOf: (owner: MemoryOwner, signal: AbortSignal) => Promise<MemoryIndex | undefined>;
  /** Names the store and the embedder that an agent's writes go through. */
  wayOf: (owner: MemoryOwner) => string;
  clock: Clock;
  log: Logger;
  /** Told of each failure that keeps texts waiting. */
  failed: () => void;
}

/** Writes that are worked on together, and for how long they belong to whoever claimed them. */
const claimedTogether = 64;
const claimMs = 300_000;
/** Waiting for a store or an embedder that fails; and for an agent that is not loaded. */
const retryDelaysMs = [1_000, 5_000, 30_000, 300_000];
const absentMs = 60_000;
/** How often is looked for what others left. */
const lookEveryMs = 30_000;
/** A reader waits this long for what was said before to be found. */
const settleMsMax = 2_000;
/** The end of the process waits this long for what is under way. */
const closeMsMax = 3_000;
/** So many writes may be in hand on one way; the others stay in the database until there is room. */
const inHandMax = 256;
/** So many writes of one agent may wait, as a rule. */
const waitingUsual = 10_000;

/** An agent's writes that this process has put and that are not in their store. */
interface Lane {
  /** Those on their way: readers wait for them. */
  coming: Set<string>;
  /** Those that have to be tried again, nobody knows when. */
  late: Set<string>;
  arrived: PromiseWithResolvers<void>;
  turn: ReturnType<typeof inTurn>;
}

/** One store with one embedder. Where either is slow or down, only those wait whose writes go this way. */
interface Way {
  inHand: number;
  /** Those whose writes wait in the database for room, by their keys. */
  waiting: Map<string, MemoryOwner>;
}

/**
 * Brings what was said into the vector stores. It is on disk when `put` resolves; embedding it and adding it to a store comes
 * after, is tried until it succeeds, and doubles nothing when it is done again.
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

  constructor(ports: WriterPorts) {
    this.#ports = ports;
  }

  /** Lets texts wait for their store. They are dropped, and the log says so, when `waitingMax` or more wait already. */
  async put(owner: MemoryOwner, writes: readonly NewWrite[], waitingMax = waitingUsual): Promise<void> {
    if (writes.length === 0) return;
    const { storage, log } = this.#ports;
    const lane = this.#laneOf(owner);
    const known = lane.coming.size + lane.late.size;
    if (known >= waitingMax && (await countWrites(storage, owner)) >= waitingMax) {
      log.warn("memory.full", { ...owner, waiting: known });
      return;
    }
    // Before they are on disk: from then on they may be brought at any moment.
    for (const { id } of writes) lane.coming.add(id);
    try {
      await insertWrites(storage, writes);
    } catch (thrown) {
      this.#arrive(owner, idsOf(writes));
      throw thrown;
    }
    this.#drain();
  }

  /** Waits, for a moment at most, until what was put before can be found. What failed once is not waited for. */
  async settled(owner: MemoryOwner, signal: AbortSignal): Promise<void> {
    const lane = this.#laneOf(owner);
    if (this.#hasBegun && lane.coming.size === 0) return;
    const timeUp = Promise.withResolvers<void>();
    const cancel = this.#ports.clock.timer(settleMsMax, timeUp.resolve);
    const soon = (what: Promise<void> | undefined) =>
      untilAborted(signal, () => Promise.race([what, timeUp.promise]));
    try {
      // What another process left behind comes first.
      if (!this.#hasBegun) {
        this.#drain();
        await soon(this.#draining);
      }
      if (lane.coming.size > 0) await soon(lane.arrived.promise);
    } finally {
      cancel();
    }
  }

  /** Resolves when nothing is in hand. */
  async idle(): Promise<void> {
    while (this.#draining !== undefined || this.#underWay.size > 0) {
      await Promise.all([this.#draining, ...this.#underWay]);
    }
  }

  /** Does something with an agent's memory while nothing is written to it. */
  alone<T>(owner: MemoryOwner, work: () => Promise<T>): Promise<T> {
    return this.#laneOf(owner).turn(work);
  }

  /** Nothing of an agent waits any more. */
  forgotten(owner: MemoryOwner): void {
    const { coming, late } = this.#laneOf(owner);
    this.#arrive(owner, [...coming, ...late]);
  }

  /** Tries what waits of an agent as soon as may be. */
  async retry(owner: MemoryOwner): Promise<void> {
    await dueAtOnce(this.#ports.storage, owner);
    this.#drain();
  }

  worker(): Worker {
    return {
      name: "memory-writer",
      run: async (signal) => {
        while (!signal.aborted) {
          this.#drain();
          await sleep(this.#ports.clock, lookEveryMs, signal).catch(() => undefined);
        }
      },
    };
  }

  /** Brings what it can in a moment; what still waits then is brought after the next start. */
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
      // Asked for between its last look and now.
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
        this.#hasBegun = true;
      } while (this.#isAsked && !signal.aborted);
    } catch (thrown) {
      // The worker looks again.
      this.#isAsked = false;
      log.warn("memory.writer_failed", { err: thrown });
    }
  }

  /** Sends all that is due on its way; nobody waits here for a store. */
  async #bringAll(): Promise<void> {
    const { storage } = this.#ports;
    // A SQLite file has no other process that could have them in hand.
    if (!this.#hasBegun && storage.dialect === "sqlite") await dueAtOnce(storage);
    while (!this.#stopping.signal.aborted) {
      const except = [...this.#ways.values()].flatMap(({ waiting }) => [...waiting.values()]);
      const rows = await claimWrites(storage, { limit: claimedTogether, untilMs: claimMs, except });
      if (rows.length === 0) return;
      const byOwner = Map.groupBy(rows, ({ tenant, agent }) => JSON.stringify([tenant, agent]));
      for (const [key, some] of byOwner) await this.#send(key, some);
    }
  }

  /** Sends one agent's writes on their way, or puts them back while there is no room. */
  async #send(key: string, rows: readonly MemoryWrite[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const owner = { tenant: first.tenant, agent: first.agent };
    const way = this.#wayOf(owner);
    if (way.inHand + rows.length > inHandMax) {
      way.waiting.set(key, owner);
      return postponeWrites(this.#ports.storage, rows, 0);
    }
    way.inHand += rows.length;
    // Left by another process, perhaps: from now on readers wait for them.
    for (const id of idsOf(rows)) this.#laneOf(owner).coming.add(id);
    const sent = this.#bringTogether(rows)
      .catch((err) => this.#ports.log.warn("memory.writer_failed", { err }))
      .finally(() => {
        this.#underWay.delete(sent);
        way.inHand -= rows.length;
        if (way.waiting.size === 0) return;
        way.waiting.clear();
        if (!this.#stopping.signal.aborted) this.#drain();
      });
    this.#underWay.add(sent);
  }

  /** One agent's writes; when they fail together, each by itself, so that none holds up the others. */
  async #bringTogether(rows: readonly MemoryWrite[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const owner = { tenant: first.tenant, agent: first.agent };
    try {
      await this.alone(owner, () => this.#bring(owner, rows));
    } catch (thrown) {
      if (rows.length === 1 || toAppError(thrown).kind === "unavailable" || this.#stopping.signal.aborted)
        await this.#postpone(owner, rows, thrown);
      else for (const row of rows) await this.#bringTogether([row]);
    }
  }

  async #bring(owner: MemoryOwner, rows: readonly MemoryWrite[]): Promise<void> {
    const { storage, indexOf } = this.#ports;
    const { signal } = this.#stopping;
    const index = await indexOf(owner, signal);
    if (index === undefined) {
      await postponeWrites(storage, rows, absentMs);
      this.#delay(owner, rows);
      return;
    }
    // Since they were claimed some may have been forgotten.
    const before = await textsLeft(storage, rows);
    const texts = rows.flatMap(textsOf).filter(({ id }) => before.texts.has(id));
    await index.add(owner, texts, signal);
    const after = await textsLeft(storage, rows);
    const dimension = await index.embedder.dimension(signal);
    // Of a row that is no longer there nothing is known: whoever took it away has done what was to be done.
    for (const { id } of rows.filter((row) => after.rows.has(row.id)).flatMap(textsOf)) {
      if (!after.texts.has(id)) await index.remove(owner, dimension, { id });
    }
    await deleteWrites(storage, rows);
    this.#arrive(owner, idsOf(rows));
  }

  async #postpone(owner: MemoryOwner, rows: readonly MemoryWrite[], thrown: unknown): Promise<void> {
    const { storage, clock, log, failed } = this.#ports;
    if (this.#stopping.signal.aborted) return postponeWrites(storage, rows, 0);
    failed();
    const attempts = Math.min(...rows.map((row) => row.attempts));
    const delayMs = retryDelayMs(retryDelaysMs, attempts);
    log.warn("memory.waiting", {
      ...owner,
      writes: rows.length,
      code: toAppError(thrown).code,
      retry_in_ms: delayMs,
      err: thrown,
    });
    await postponeWrites(storage, rows, delayMs);
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
    const way: Way = { inHand: 0, waiting: new Map() };
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
      turn: inTurn(),
    };
    this.#lanes.set(key, lane);
    return lane;
  }
}

function textsOf({ texts, forgotten, sessionId, user, origin }: MemoryWrite): MemoryText[] {
  if (forgotten) return [];
  return texts.map((text) => ({ ...text, session: sessionId, user, origin }));
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
