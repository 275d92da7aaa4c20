import { and, lt, notInArray } from "drizzle-orm";
import { inboundWorker } from "../../channels/inbox/inbound-worker.ts";
import { outboxWorker } from "../../channels/outbox/outbox-worker.ts";
import type { Clock } from "../../kit/clock.ts";
import { inBackground } from "../../kit/concurrency/background-work.ts";
import { repeatedWorker, type Worker } from "../../kit/worker.ts";
import { aloneWorker } from "../../storage/alone.ts";
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
  repeatedWorker("gateway-retention", hourMs, deps.clock, async () => {
    await dropOldRecords(deps);
    await sweepFiles(deps);
    await foldParts(deps.storage);
  }),
];

/** Deletes messages that were kept for their time, over all tenants. */
export async function dropOldRecords({
  storage,
  clock,
}: {
  storage: GatewayStorage;
  clock: Clock;
}): Promise<void> {
  const {
    deskEntries,
    groupSpeakers,
    measured,
    tallies,
    deskSeen,
    messageAuthors,
    messageWords,
    outbox,
    trail,
    conversationMessages,
    inbound,
    reactions,
    webchatMessages,
    webchatThreads,
  } = storage.tables;
  const before = (days: number) => new Date(clock.now().getTime() - days * dayMs);
  await storage.transact(async (tx) => {
    await tx
      .delete(outbox)
      .where(lt(outbox.createdAt, before(outboxDays)))
      .returning({ id: outbox.id });
    await tx
      .delete(reactions)
      .where(lt(reactions.at, before(messageDays)))
      .returning({ id: reactions.messageId });
    await tx
      .delete(trail)
      .where(lt(trail.at, before(outboxDays)))
      .returning({ id: trail.id });
    await tx
      .delete(inbound)
      .where(
        and(lt(inbound.receivedAt, before(inboundDays)), notInArray(inbound.state, ["waiting", "working"])),
      )
      .returning({ id: inbound.id });
    await tx
      .delete(conversationMessages)
      .where(lt(conversationMessages.at, before(messageDays)))
      .returning({ id: conversationMessages.id });
    for (const [table, when, id] of [
      [deskEntries, deskEntries.at, deskEntries.conversationId],
      [deskSeen, deskSeen.seenAt, deskSeen.conversationId],
      [messageAuthors, messageAuthors.at, messageAuthors.messageId],
      [groupSpeakers, groupSpeakers.at, groupSpeakers.messageId],
      [measured, measured.at, measured.id],
      [tallies, tallies.quarter, tallies.tenantId],
      // The time of a word is up to a day older than its newest message.
      [messageWords, messageWords.at, messageWords.conversationId],
    ] as const) {
      const days = table === messageWords ? messageDays + 1 : messageDays;
      await tx
        .delete(table)
        .where(lt(when, before(days)))
        .returning({ id });
    }
    await tx
      .delete(webchatMessages)
      .where(lt(webchatMessages.at, before(messageDays)))
      .returning({ id: webchatMessages.id });
    await tx
      .delete(webchatThreads)
      .where(lt(webchatThreads.lastAt, before(messageDays)))
      .returning({ id: webchatThreads.id });
  });
}
