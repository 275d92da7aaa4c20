import type { MessageSource } from "../../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { MessageContent } from "../../../contracts/gateway/messages.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import { newOutboxState } from "./outbox-step.ts";
import { laneOf } from "./settle-messages.ts";

/** A message to be sent. */
export interface NewMessage {
  id: string;
  tenantId: string;
  channel: ChannelName;
  accountId: string;
  recipient: string;
  conversationId: string | null;
  source: MessageSource;
  payload: MessageContent;
  /** The message is not sent before. */
  dueAt?: Date;
  idempotency?: { key: string; digest: string } | undefined;
}

/** Queues a message within the caller's transaction, so that what caused it is stored together with it. Ring the bell after the commit. */
export async function enqueueMessage(
  tx: Query,
  { outbox }: GatewayTables,
  { idempotency, dueAt, ...message }: NewMessage,
  now: Date,
): Promise<void> {
  await tx.insert(outbox).values({
    ...message,
    ...newOutboxState(now),
    ...(dueAt !== undefined && { dueAt }),
    lane: laneOf(message),
    partsDone: 0,
    createdAt: now,
    idempotencyKey: idempotency?.key ?? null,
    idempotencyDigest: idempotency?.digest ?? null,
  });
}
