import { and, getTableColumns, sql } from "drizzle-orm";
import type { MessageSource } from "../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { MessageContent } from "../../contracts/gateway/messages.ts";
import { boundRow, equalsBound, statement } from "../../storage/statement.ts";
import type { Query } from "../../storage/storage.ts";
import { newOutboxState } from "./outbox-step.ts";
import type { OutboxTables } from "./schema.ts";
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
  /** Id of the run that wrote the message, for reactions to it. */
  invocationId?: string | undefined;
  /** The message is not sent before. */
  dueAt?: Date;
  /** The message is not sent after. Absent: a day. */
  expiresAt?: Date;
  idempotency?: { key: string; digest: string } | undefined;
}

/** Queues a message within the caller's transaction, so that what caused it is stored together with it. Ring the bell after the commit. */
export async function enqueueMessage(
  tx: Query,
  tables: OutboxTables,
  { idempotency, dueAt, expiresAt, invocationId, ...message }: NewMessage,
  now: Date,
): Promise<void> {
  const lane = laneOf(message);
  const open = await touchLane(tx, tables).execute({ lane, tenantId: message.tenantId });
  await addMessage(tx, tables).execute({
    ...noColumns(tables),
    ...message,
    ...newOutboxState(now),
    ...(dueAt !== undefined && { dueAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    invocationId: invocationId ?? null,
    lane,
    isReady: open.every((row) => row.lane === null),
    partsDone: 0,
    createdAt: now,
    idempotencyKey: idempotency?.key ?? null,
    idempotencyDigest: idempotency?.digest ?? null,
  });
}

/** Null for each column, because a prepared insert takes a value for each. */
const noColumns = ({ outbox }: OutboxTables) =>
  Object.fromEntries(Object.keys(getTableColumns(outbox)).map((name) => [name, null]));

const addMessage = statement((tx: Query, { outbox }: OutboxTables) =>
  tx.insert(outbox).values(boundRow(outbox)).prepare("enqueue_message"),
);

/** Locks the lane's last open message until the commit, so that one that closes now can't overlook the new one. */
const touchLane = statement((tx: Query, { outbox }: OutboxTables) => {
  const lane = sql.placeholder("lane");
  const last = sql`(select max(before.id) from ${outbox} as before where before.lane in (${lane}))`;
  return tx
    .update(outbox)
    .set({ lane: outbox.lane })
    .where(and(equalsBound(outbox.tenantId, "tenantId"), sql`${outbox.id} = ${last}`))
    .returning({ lane: outbox.lane })
    .prepare("touch_lane");
});
