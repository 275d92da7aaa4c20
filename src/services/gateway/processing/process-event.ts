import { eq } from "drizzle-orm";
import { closeEvent } from "../../../channels/inbox/close-event.ts";
import { storedEvent } from "../../../channels/inbox/event-row.ts";
import type { Processed } from "../../../channels/inbox/inbound-worker.ts";
import type { InboxRow } from "../../../channels/inbox/schema.ts";
import type { MediaSource } from "../../../channels/media/media-source.ts";
import type { MessageSender } from "../../../channels/outbox/message-sender.ts";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import type { OutboxLedger } from "../../../channels/outbox/settle-messages.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { KnownOwners } from "../../../kit/concurrency/known-owners.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Random } from "../../../kit/retry.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { BindingCheck } from "../bindings/agent-check.ts";
import { findBindingOf } from "../bindings/store.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { InboundRow } from "../inbound/schema.ts";
import type { OutboxRoom } from "../outbox/outbox-room.ts";
import type { StorageRoom } from "../room/storage-room.ts";
import type { GatewayStorage } from "../tables.ts";
import { noteEnd } from "../trail/note-inbound.ts";
import type { Transcriber } from "../transcripts/transcribe.ts";
import type { AccountNames } from "./addressed-account.ts";
import type { AgentRuns } from "./agent-runs.ts";
import { answerMessage } from "./answer-message.ts";
import { finishMessage } from "./finish-message.ts";
import type { MessageMarks } from "./message-marks.ts";
import { recordEvent } from "./record-event.ts";
import { recordReaction } from "./record-reaction.ts";
import type { RunVerdicts } from "./run-verdicts.ts";

export interface ProcessPorts {
  storage: GatewayStorage;
  sealer: Sealer | undefined;
  /** External ids of accounts that are emulated by the operator's settings. */
  emulatedIds: readonly string[];
  runs: AgentRuns;
  agents: Pick<BindingCheck, "ownerOf">;
  /** The persons behind tenants. */
  tenantOwners: KnownOwners;
  verdicts: RunVerdicts;
  media: MediaSource;
  /** Undefined: voice messages are not transcribed. */
  transcriber: Transcriber | undefined;
  marks: MessageMarks;
  names: AccountNames;
  ledger: OutboxLedger;
  sender: Pick<MessageSender, "resultOfCode" | "partsOf">;
  /** Wakes the outbox. */
  bell: OutboxBell;
  room: OutboxRoom;
  storageRoom: StorageRoom;
  feed: EventFeed;
  clock: Clock;
  newId: NewId;
  random: Random;
  log: Logger;
}

/** Processes one delivered event, and closes it together with its effects. */
export async function processEvent(
  ports: ProcessPorts,
  claimed: InboxRow,
  signal: AbortSignal,
): Promise<Processed> {
  const row = claimed as InboundRow;
  const event = storedEvent(row);
  if (event.type === "message") return answerMessage(ports, { row, event }, signal);
  if (event.type === "reaction") return recordReaction(ports, row, event, signal);
  return { type: "closed", outcome: await recordEvent(ports, row, event) };
}

/** Closes an event that failed too often. A message whose conversation is known gets the fallback message. */
export async function parkEvent(ports: ProcessPorts, claimed: InboxRow): Promise<void> {
  const row = claimed as InboundRow;
  const { storage, clock, newId } = ports;
  const { read, tables } = storage;
  const event = storedEvent(row);
  const [now] = await read.select().from(tables.inbound).where(eq(tables.inbound.id, row.id));
  const conversationId = now?.conversationId ?? undefined;
  if (event.type !== "message" || conversationId === undefined) {
    const closing = { outcome: "parked", conversationId, isParked: true };
    return storage.transact(
      async (tx) => {
        await closeEvent(tx, tables, row, closing, clock.now());
        await noteEnd(tx, tables, newId, row, closing, clock.now());
      },
      { isolation: "read committed" },
    );
  }
  const binding = await findBindingOf(read, tables, row.tenantId, row.accountId);
  const text = binding?.fallbackMessage ?? "";
  await finishMessage(ports, { row, event }, conversationId, { outcome: "parked", text });
}
