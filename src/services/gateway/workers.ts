import type { SQL } from "drizzle-orm";
import { and, lt, notInArray } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import { inboundWorker } from "../../channels/inbox/inbound-worker.ts";
import { outboxWorker } from "../../channels/outbox/outbox-worker.ts";
import type { Clock } from "../../kit/clock.ts";
import { inBackground } from "../../kit/concurrency/background-work.ts";
import { repeatedWorker, type Worker } from "../../kit/worker.ts";
import { aloneWorker } from "../../storage/alone.ts";
import { deleteInPieces } from "../../storage/delete-in-pieces.ts";
import { foldTallies } from "../../storage/fold-tallies.ts";
import { foldParts } from "../../storage/room.ts";
import { openAccount } from "./accounts/credentials.ts";
import type { AccountRow } from "./accounts/store.ts";
import { sweepForgettings } from "./contacts/finish-forgetting.ts";
import type { GatewayDeps } from "./deps.ts";
import { conversationWatcher } from "./events/conversation-watcher.ts";
import { noticeWatcher } from "./events/notice-watcher.ts";
import { fetchFiles } from "./media/fetch-files.ts";
import { fileDays, sweepFiles } from "./media/store.ts";
import { outboundChange } from "./outbox/outbound-change.ts";
import { parkEvent, processEvent } from "./processing/process-event.ts";
import { tally } from "./reports/tally.ts";
import { makeRoom } from "./room/make-room.ts";
import type { GatewayStorage } from "./tables.ts";
import { transcribeFiles } from "./transcripts/transcribe.ts";
import { threadWatcher } from "./webchat/thread-bell.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Times that records are kept. */
const outboxDays = 90;
const messageDays = 365;
/** Longer than any provider redelivers. */
const inboundDays = 30;

/** The kinds of records that `dropOldRecords` deletes, with the days that they are kept. */
export const retainedRecords = [
  { what: "outbox and message trail", days: outboxDays },
  { what: "conversations", days: messageDays },
  { what: "received events", days: inboundDays },
  { what: "files of messages", days: fileDays },
].map((kind) => ({ ...kind, bytes_max: null, setting: null }));

/** Background workers of the gateway, in order of starting. All that they do is background work, the runs that answer messages included. */
export const gatewayWorkers = (deps: GatewayDeps): Worker[] =>
  workersOf(deps).map((worker) => ({
    ...worker,
    run: (signal, beat) => inBackground(() => worker.run(signal, beat)),
  }));

const workersOf = (deps: GatewayDeps): Worker[] => [
  outboxWorker({
    ...deps,
    openAccount(account) {
      // The claim reads whole rows.
      const opened = openAccount(deps.sealer, account as AccountRow);
      return { ...opened, emulated: opened.emulated || deps.emulatedIds.includes(opened.externalId) };
    },
    onSettled: (settlements) =>
      deps.feed.publish(
        ...settlements.map(({ row, transition }) => outboundChange(row, transition.state.status)),
      ),
    onResult: (channel, result) => deps.metrics.sendTried(channel, result),
  }),
  // Without PostgreSQL, no other process stores messages.
  ...(deps.webchat !== undefined && deps.storage.dialect === "postgres"
    ? [threadWatcher({ ...deps, bell: deps.webchat.bell })]
    : []),
  ...(deps.storage.dialect === "postgres" ? [conversationWatcher(deps)] : []),
  noticeWatcher(deps),
  inboundWorker({
    ...deps,
    workers: deps.inboundWorkers,
    process: (row, signal) => processEvent(deps, row, signal),
    park: (row) => parkEvent(deps, row),
  }),
  repeatedWorker("gateway-media", 1_000, deps.clock, (signal) => fetchFiles(deps, signal)),
  repeatedWorker("gateway-transcripts", 500, deps.clock, (signal) =>
    transcribeFiles({ ...deps, transcribed: deps.metrics.transcribed }, signal),
  ),
  aloneWorker("gateway-forgetting", minuteMs, deps, (signal) => sweepForgettings(deps, signal)),
  aloneWorker("gateway-reports", minuteMs, deps, (signal) => tally(deps, signal)),
  repeatedWorker("gateway-room", minuteMs, deps.clock, () => makeRoom(deps)),
  repeatedWorker(
    "gateway-retention",
    hourMs,
    deps.clock,
    async (signal) => {
      await dropOldRecords(deps, signal);
      if (signal.aborted) return;
      await sweepFiles(deps);
      await foldParts(deps.storage);
      await foldTallies(deps.storage);
    },
    { roundMs: hourMs },
  ),
];

/** Deletes messages that were kept for their time, over all tenants. */
export async function dropOldRecords(
  { storage, clock }: { storage: GatewayStorage; clock: Clock },
  signal?: AbortSignal,
): Promise<void> {
  const { tables } = storage;
  const { inbound, outbox, trail, conversationMessages, reactions, webchatMessages, webchatThreads } = tables;
  const { deskEntries, measured, tallies, deskSeen, messageAuthors, messageWords, groupSpeakers } = tables;
  const isClosed = notInArray(inbound.state, ["waiting", "working"]);
  const kept: readonly [PgTable, PgColumn, days: number, more?: SQL][] = [
    [outbox, outbox.createdAt, outboxDays],
    [reactions, reactions.at, messageDays],
    [trail, trail.at, outboxDays],
    [inbound, inbound.receivedAt, inboundDays, isClosed],
    [conversationMessages, conversationMessages.at, messageDays],
    [deskEntries, deskEntries.at, messageDays],
    [deskSeen, deskSeen.seenAt, messageDays],
    [messageAuthors, messageAuthors.at, messageDays],
    [groupSpeakers, groupSpeakers.at, messageDays],
    [measured, measured.at, messageDays],
    [tallies, tallies.quarter, messageDays],
    // The time of a word is up to a day older than its newest message.
    [messageWords, messageWords.at, messageDays + 1],
    [webchatMessages, webchatMessages.at, messageDays],
    [webchatThreads, webchatThreads.lastAt, messageDays],
  ];
  for (const [table, at, days, more] of kept) {
    const before = new Date(clock.now().getTime() - days * dayMs);
    await deleteInPieces(storage, table, and(lt(at, before), more), { signal });
    if (signal?.aborted) return;
  }
}
