import { formatAnswer } from "../../../channels/formatting/format-answer.ts";
import type { MessageEvent } from "../../../channels/inbound/inbound-event.ts";
import { closeEvent } from "../../../channels/inbox/close-event.ts";
import { enqueueMessage } from "../../../channels/outbox/enqueue-message.ts";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import type { Query } from "../../../storage/storage.ts";
import type { ChannelMetrics } from "./channel-metrics.ts";
import { forgetEvent } from "./forget-event.ts";
import { answerableMs } from "./receive-delivery.ts";
import type { ChannelStorage, EventRow } from "./schema.ts";

export interface FinishPorts {
  storage: ChannelStorage;
  /** Wakes the outbox. */
  bell: OutboxBell;
  metrics: ChannelMetrics;
  clock: Clock;
  newId: NewId;
  log: Logger;
}

/** A message of a user that is being answered. */
export interface OpenMessage {
  row: EventRow;
  event: MessageEvent;
}

/** Text for the user. `traceId` is that of the run that wrote it; notices have none. */
export interface FinishedAnswer {
  text: string;
  traceId?: string | undefined;
}

/** Maximum number of messages for one answer; longer answers are cut. */
const partsMax = 10;

/** Closes a message and queues its answer in one transaction, so that a message is answered once. */
export async function finishMessage(
  { storage, bell, ...ports }: FinishPorts,
  { row, event }: OpenMessage,
  { answer, outcome, isParked = false }: { answer?: FinishedAnswer; outcome: string; isParked?: boolean },
): Promise<void> {
  await storage.transact(
    async (tx) => {
      await closeEvent(
        tx,
        storage.tables,
        row,
        { outcome, invocationId: answer?.traceId, isParked },
        ports.clock.now(),
      );
      await forgetEvent(tx, storage.tables, row);
      if (answer !== undefined) await enqueueAnswer(tx, { storage, ...ports }, { row, event }, answer);
    },
    { isolation: "read committed" },
  );
  bell.ring();
}

/** Queues an answer, unless the provider would no longer accept it. */
export async function enqueueAnswer(
  tx: Query,
  { storage, clock, newId, metrics, log }: Omit<FinishPorts, "bell">,
  { row, event }: OpenMessage,
  { text, traceId }: FinishedAnswer,
): Promise<void> {
  const now = clock.now();
  const { id, tenantId, channel, accountId } = row;
  if (isTooLate(row, now)) {
    metrics.messages("too_late");
    log.warn("channel.message_too_late", { message: id });
    return;
  }
  // Notices are our own texts, without marks.
  const format = traceId === undefined ? "raw" : "markdown";
  for (const part of formatAnswer(channel, text, { format, partsMax })) {
    const message = {
      id: newId(),
      tenantId,
      channel,
      accountId,
      recipient: event.sender.address,
      conversationId: null,
      source: "agent_reply" as const,
      payload: part,
      invocationId: traceId,
      expiresAt: new Date(row.receivedAt.getTime() + answerableMs),
    };
    await enqueueMessage(tx, storage.tables, message, now);
  }
}

/** True if the provider takes no free-form answer to a message any more. */
export const isTooLate = ({ receivedAt }: Pick<EventRow, "receivedAt">, now: Date): boolean =>
  now.getTime() - receivedAt.getTime() > answerableMs;
