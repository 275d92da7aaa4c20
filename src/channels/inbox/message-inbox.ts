import { type Clock, sleep } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { Worker } from "../../kit/worker.ts";
import { whileLeased } from "../../storage/lease.ts";
import type { Storage } from "../../storage/storage.ts";
import { roundsThroughOutages } from "../../storage/until-stored.ts";
import type { ChannelMetrics } from "../channel-metrics.ts";
import { firstOfEach } from "./admit-new.ts";
import type { AwaitedAnswers } from "./awaited-answers.ts";
import type { ChannelTables } from "./old-schema.ts";
import { SenderLanes } from "./sender-lanes.ts";
import type { SenderLimit } from "./sender-limit.ts";
import {
  awaitingMessages,
  type ChannelKey,
  closeMessages,
  keepMessages,
  messagesAt,
  moveMessage,
  pruneMessages,
  type QueuedMessage,
  type StoredMessage,
} from "./store.ts";

/**
 * Tasks: `answer` a message; `tell` its sender to slow down; `apologise` for a run that a stop or crash cut off; `follow` up on a run that
 * waited and has ended.
 */
export type Task = "answer" | "tell" | "apologise" | "follow";

export interface InboxPorts {
  storage: Storage<ChannelTables>;
  key: ChannelKey;
  /** Id of this process, new at each start. */
  owner: string;
  limit: SenderLimit;
  awaited: AwaitedAnswers;
  /** Never rejects. `begins` aborts when no new work may begin. */
  handle: (job: { id: string; task: Task }, begins: AbortSignal) => Promise<void>;
  metrics: ChannelMetrics;
  clock: Clock;
  log: Logger;
}

/** Maximum number of open messages. Further deliveries are refused, and the provider delivers them again. */
export const openMax = 10_000;
/** Maximum number of senders answered at the same time. */
const sendersAtOnce = 64;
/**
 * Messages older than this are stored and acknowledged, but get no answer: providers accept free-form replies only within 24 hours of the
 * user's message. So a replayed old delivery starts nothing.
 */
const answeredWithinMs = 24 * 60 * 60_000;
/** Retention of message ids: longer than any provider redelivers. */
const rememberedMs = 30 * 24 * 60 * 60_000;
const pruneEveryMs = 60 * 60_000;
/** Polling interval. On a shared database other processes may have accepted messages; on SQLite only leftovers of a fault are found. */
const lookEveryMs = { postgres: 1_000, sqlite: 30_000 };
/** With the wait of a third of it, another process takes over within 12 seconds. */
const leaseMs = 9_000;

interface Job extends QueuedMessage {
  task: Task;
}

/**
 * Messages of one channel account. They are stored before they are acknowledged, then answered, in order for each sender. On a shared
 * database one process at a time answers all messages, no matter which process accepted them.
 */
export class MessageInbox {
  readonly #ports: InboxPorts;
  readonly #lanes: SenderLanes<Job>;
  /** Ids of the messages in the lanes or being processed. */
  readonly #known = new Set<string>();
  readonly #begun = Promise.withResolvers<void>();
  readonly #retiring = new AbortController();
  /** Set while this process is the one that answers. */
  #term: AbortSignal | undefined;

  constructor(ports: InboxPorts) {
    this.#ports = ports;
    this.#lanes = new SenderLanes(sendersAtOnce, (job) => this.#work(job), isEarlier);
  }

  /** Number of messages that this process queues or processes. */
  get inHand(): number {
    return this.#known.size;
  }

  /** Stores messages and returns how many of them are stored now. Messages beyond the limit are not stored. */
  async accept(messages: readonly StoredMessage[]): Promise<number> {
    const { storage, key, metrics } = this.#ports;
    const distinct = firstOfEach(messages, ({ messageId }) => messageId);
    if (distinct.length === 0) return messages.length;
    const { known, added } = await keepMessages(storage, key, distinct, openMax);
    const repeated = known.size + messages.length - distinct.length;
    metrics.messages("queued", added.size);
    metrics.messages("repeated", repeated);
    await this.#enqueue(distinct.filter(({ id }) => added.has(id)));
    return added.size + repeated;
  }

  /** Lets the worker answer messages. Called when the process starts to serve. */
  begin(): void {
    this.#begun.resolve();
  }

  /** Begins no further message; resolves when running ones have ended. The others stay for the next start. */
  async retire(): Promise<void> {
    this.#retiring.abort(new DOMException("Argosy is stopping.", "AbortError"));
    this.#lanes.clear();
    await this.#lanes.idle();
  }

  worker(): Worker {
    const { storage, key, owner, clock } = this.#ports;
    return {
      name: `channel-${key.channel}`,
      run: async (signal, beat) => {
        const ending = AbortSignal.any([signal, this.#retiring.signal]);
        await Promise.race([this.#begun.promise, aborted(ending)]);
        if (!ending.aborted) {
          if (storage.dialect === "sqlite") await this.#answer(ending, beat);
          else {
            const name = `channel:${key.tenant}:${key.channel}:${key.account}`;
            const work = (_: unknown, held: AbortSignal) => this.#answer(held, beat);
            await whileLeased(storage, { name, owner, ttlMs: leaseMs, clock, work, beat }, ending);
          }
        }
        await this.#lanes.idle();
        await aborted(signal);
      },
    };
  }

  /** Answers waiting and new messages until the signal aborts. */
  async #answer(term: AbortSignal, beat?: () => void): Promise<void> {
    const { clock, storage, log } = this.#ports;
    try {
      await this.#recover(term);
      let look = new AbortController();
      this.#ports.awaited.onOver(() => look.abort(), term);
      let prunedMs = Number.NEGATIVE_INFINITY;
      const round = async () => {
        if (clock.monotonicMs() - prunedMs >= pruneEveryMs) {
          prunedMs = clock.monotonicMs();
          await this.#prune();
        }
        const until = AbortSignal.any([term, look.signal]);
        await sleep(clock, lookEveryMs[storage.dialect], until).catch(() => undefined);
        look = new AbortController();
        if (term.aborted) return;
        await this.#enqueue(await this.#waiting());
        await this.#followAwaited();
        beat?.();
      };
      await roundsThroughOutages(clock, term, round, (err) => log.error("channel.storage_away", { err }));
    } finally {
      this.#term = undefined;
      this.#lanes.clear();
      await this.#lanes.idle();
      this.#known.clear();
    }
  }

  /**
   * Recovers the messages of the previous term. Accepted messages are answered; messages already begun are not begun again. Reads them
   * before any work can begin, so a new message is not mistaken for one that was cut off.
   */
  async #recover(term: AbortSignal): Promise<void> {
    const { storage, key, log } = this.#ports;
    const replying = await messagesAt(storage, key, "replying", openMax);
    const begun = await messagesAt(storage, key, "running", openMax);
    // It is unknown whether the sender learned of the wait. The answer follows in any case.
    const told = await awaitingMessages(storage, key, "replying", openMax);
    for (const { id } of told) await moveMessage(storage, key, id, { from: "replying", to: "paused" });
    const toldIds = new Set(told.map(({ id }) => id));
    const cutOff = replying.filter(({ id }) => !toldIds.has(id));
    for (const { id } of cutOff) log.warn("channel.reply_unknown", { message: id, code: "cut_off" });
    await closeMessages(
      storage,
      key,
      cutOff.map(({ id }) => id),
    );
    this.#term = term;
    for (const message of begun) this.#add({ ...message, task: "apologise" });
    const waiting = await this.#waiting();
    await this.#enqueue(waiting);
    await this.#followAwaited();
    if (cutOff.length + begun.length + waiting.length === 0) return;
    log.info("channel.recovered", {
      waiting: waiting.length,
      cut_off_runs: begun.length,
      cut_off_replies: cutOff.length,
    });
  }

  #waiting(): Promise<QueuedMessage[]> {
    return messagesAt(this.#ports.storage, this.#ports.key, "waiting", openMax);
  }

  /** Adds new messages to the lanes, within each sender's limit. */
  async #enqueue(messages: readonly QueuedMessage[]): Promise<void> {
    const { limit, storage, key, metrics, clock } = this.#ports;
    if (this.#term === undefined || this.#term.aborted) return;
    const ignored: string[] = [];
    for (const message of messages) {
      if (this.#known.has(message.id)) continue;
      if (clock.now().getTime() - message.sentAt.getTime() > answeredWithinMs) {
        ignored.push(message.id);
        metrics.messages("stale");
        continue;
      }
      const verdict = limit(message.sender, message.receivedAt);
      if (verdict === "ignore") ignored.push(message.id);
      else this.#add({ ...message, task: verdict });
      if (verdict !== "answer") metrics.messages("limited");
    }
    if (ignored.length > 0) await closeMessages(storage, key, ignored);
  }

  /** Queues messages whose runs waited and have ended. */
  async #followAwaited(): Promise<void> {
    const { storage, key, awaited } = this.#ports;
    const paused = await awaitingMessages(storage, key, "paused", openMax);
    if (paused.length === 0) return;
    const over = new Set(await awaited.over(paused.map(({ awaits }) => awaits)));
    if (this.#term === undefined || this.#term.aborted) return;
    for (const { awaits, ...message } of paused) {
      if (over.has(awaits) && !this.#known.has(message.id)) this.#add({ ...message, task: "follow" });
    }
  }

  #add({ id, sender, sentAt, receivedAt, task }: Job): void {
    this.#known.add(id);
    // A sender who writes too fast gets the notice at once, not after the queued answers.
    const lane = task === "tell" ? `${sender}\0` : sender;
    // Drops the text of the message, which is read again when its turn comes.
    this.#lanes.add(lane, { id, sender, sentAt, receivedAt, task });
  }

  async #work({ id, task }: Job): Promise<void> {
    const begins = this.#term;
    if (begins === undefined) return;
    await this.#ports.handle({ id, task }, begins);
    this.#known.delete(id);
  }

  async #prune(): Promise<void> {
    const { storage, key, clock, log } = this.#ports;
    const removed = await pruneMessages(storage, key, new Date(clock.now().getTime() - rememberedMs));
    if (removed > 0) log.debug("channel.messages_pruned", { removed });
  }
}

/** Messages of one sender may be delivered out of order. */
const isEarlier = (a: Job, b: Job) => a.sentAt.getTime() < b.sentAt.getTime();

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
