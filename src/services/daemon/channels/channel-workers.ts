import { and, eq, inArray, like, lt, notInArray, sql } from "drizzle-orm";
import { inboundWorker } from "../../../channels/inbox/inbound-worker.ts";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import { hasDueMessages } from "../../../channels/outbox/outbox-depth.ts";
import { type OutboxPorts, outboxWorker } from "../../../channels/outbox/outbox-worker.ts";
import { awaitReceipts } from "../../../channels/outbox/sweep-outbox.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { BackgroundGate } from "../../../kit/concurrency/background-gate.ts";
import { noOthers } from "../../../kit/concurrency/owner-places.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import { deleteInPieces } from "../../../storage/delete-in-pieces.ts";
import { untilStored } from "../../../storage/until-stored.ts";
import { openAccount, resumeRested } from "./channel-account.ts";
import { countUnanswered } from "./count-unanswered.ts";
import { apologiseParked, type ChannelProcessPorts, parkEvent, processEvent } from "./process-event.ts";
import type { ChannelStorage } from "./schema.ts";

export interface WorkerPorts
  extends ChannelProcessPorts,
    Omit<OutboxPorts, "storage" | "openAccount" | "bell" | "sender"> {
  sender: OutboxPorts["sender"];
  inboundBell: OutboxBell;
  gate: BackgroundGate;
  /** Aborts when running work must end. */
  stopping: AbortSignal;
}

/** Workers of a channel, and the switches of its intake. */
export interface ChannelWork {
  workers: readonly Worker[];
  /** Lets the workers begin. Called when the process starts to serve. */
  begin(): void;
  /** Begins no further message. Resolves when the running ones have ended, and their answers are sent or must wait. */
  retire(): Promise<void>;
}

/** Senders answered at the same time by one process. */
const sendersAtOnce = 64;
/** Accounts whose rest is over are found within this time. */
const accountMs = 5_000;
const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
/** Retention of message ids: longer than any provider redelivers. */
const inboundDays = 30;
/** Time for which reactions to an answer count, and failed answers are known. */
const answerDays = 90;

export function channelWork(ports: WorkerPorts): ChannelWork {
  const { storage, account, clock, stopping, inboundBell, bell, log } = ports;
  const begun = Promise.withResolvers<void>();
  const retiring = new AbortController();
  let receiving: Promise<void> | undefined;
  let settled = Promise.withResolvers<void>();
  const inbox = inboundWorker({
    ...ports,
    workers: sendersAtOnce,
    placesPerFree: noOthers,
    inboundMetrics: ports.metrics,
    process: (row, signal) => processEvent(ports, row, signal),
    park: (row) => parkEvent(ports, row),
    parked: (row) => apologiseParked(ports, row),
  });
  const outbox = outboxWorker({
    ...ports,
    placesPerFree: noOthers,
    openAccount: () => ports.opened,
    onSettled() {
      settled.resolve();
      settled = Promise.withResolvers();
    },
    onResult: (_, result) => ports.metrics.sendTried(result),
  });
  const receive = async (signal: AbortSignal, beat?: () => void): Promise<void> => {
    const ending = AbortSignal.any([signal, retiring.signal]);
    await logLeft(ports);
    const wake = () =>
      untilStored(clock, ending, () => wakeAside(storage, clock)).then(
        () => inboundBell.ring(),
        (err) => log.warn("channel.not_woken", { err }),
      );
    ports.awaited.onOver(() => void wake(), ending);
    await inbox.run(ending, beat);
  };
  /** Lets a worker work between the start and the end of the service. */
  const whileServing = (worker: Worker): Worker => ({
    ...worker,
    async run(signal, beat) {
      await Promise.race([begun.promise, aborted(signal)]);
      beat?.();
      if (!signal.aborted) await worker.run(signal, beat);
      await aborted(signal);
    },
  });
  const workers: Worker[] = [
    {
      ...outbox,
      name: "channel-outbox",
      async run(signal, beat) {
        await openAccount(storage, account);
        await awaitReceipts(ports);
        await outbox.run(signal, beat);
      },
    },
    {
      ...inbox,
      name: "channel-inbox",
      async run(signal, beat) {
        if (retiring.signal.aborted) return;
        receiving = receive(signal, beat);
        await receiving;
      },
    },
    repeatedWorker("channel-account", accountMs, clock, async () => {
      if (await resumeRested(storage, account, clock.now())) bell.ring();
      ports.metrics.openSeen(await countUnanswered(storage.read, storage.tables));
    }),
    repeatedWorker("channel-retention", hourMs, clock, () => dropOld(storage, clock.now())),
  ];
  return {
    workers: workers.map(whileServing),
    begin: () => begun.resolve(),
    async retire() {
      retiring.abort(new DOMException("Argosy is stopping.", "AbortError"));
      if (receiving === undefined) return;
      // The worker's own failure is logged there.
      await receiving.catch(() => undefined);
      const mustWait = () => untilStored(clock, stopping, () => hasDueMessages(storage, clock.now()));
      while (!stopping.aborted) {
        const next = settled.promise;
        if (!(await mustWait().catch(() => false))) return;
        await Promise.race([next, aborted(stopping)]);
      }
    },
  };
}

/** Logs what the previous process left open. */
async function logLeft({ storage, log }: WorkerPorts): Promise<void> {
  const { inbound, outbox } = storage.tables;
  const events = await storage.read
    .select({ plan: inbound.plan })
    .from(inbound)
    .where(and(inArray(inbound.state, ["waiting", "working"]), eq(inbound.kind, "message")))
    .limit(10_000);
  const sending = await storage.read
    .select({ id: outbox.id })
    .from(outbox)
    .where(sql`${outbox.status} = 'sending'`);
  if (events.length + sending.length === 0) return;
  const cutOff = events.filter(({ plan }) => plan !== null && "begun" in plan).length;
  log.info("channel.recovered", {
    waiting: events.length - cutOff,
    cut_off_runs: cutOff,
    cut_off_replies: sending.length,
  });
}

/** Looks again at messages whose runs wait. */
async function wakeAside({ transact, tables: { inbound } }: ChannelStorage, clock: Clock): Promise<void> {
  await transact((tx) =>
    tx
      .update(inbound)
      .set({ dueAt: clock.now() })
      .where(and(eq(inbound.state, "waiting"), like(inbound.lane, "aside:%"))),
  );
}

/** Deletes what was kept for its time, that of former accounts included. */
async function dropOld(storage: ChannelStorage, now: Date): Promise<void> {
  const { inbound, outbox, channelAnswers, channelSenders } = storage.tables;
  const before = (days: number) => new Date(now.getTime() - days * dayMs);
  const isClosed = notInArray(inbound.state, ["waiting", "working"]);
  await deleteInPieces(storage, inbound, and(lt(inbound.receivedAt, before(inboundDays)), isClosed));
  await deleteInPieces(storage, outbox, lt(outbox.createdAt, before(answerDays)));
  await deleteInPieces(storage, channelAnswers, lt(channelAnswers.sentAt, before(answerDays)));
  await deleteInPieces(storage, channelSenders, lt(channelSenders.startedAt, before(1)));
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
