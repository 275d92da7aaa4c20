import { and, desc, eq, ne, sql } from "drizzle-orm";
import type { OutboxRow } from "../../../channels/outbox/schema.ts";
import type {
  DeliveryStatus,
  MessageSource,
  OutboxEntry,
  OutboxPage,
} from "../../../contracts/gateway/admin.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { MessageStatus } from "../../../contracts/gateway/messages.ts";
import type { GatewayStorage } from "../tables.ts";

export interface OutboxFilter {
  tenant?: string | undefined;
  status?: MessageStatus | undefined;
  delivery_status?: DeliveryStatus | undefined;
  channel?: ChannelName | undefined;
  /** Without one, all but notices. */
  source?: MessageSource | undefined;
  limit: number;
  offset: number;
}

/** Lists outbound messages, newest first. Without `tenant`, those of all tenants: for operators only. */
export async function listOutbox(
  { read, tables: { outbox, outboxSums: sums } }: GatewayStorage,
  { tenant, status, delivery_status: delivery, channel, source, limit, offset }: OutboxFilter,
): Promise<OutboxPage> {
  const isWanted = and(
    tenant === undefined ? undefined : eq(outbox.tenantId, tenant),
    status === undefined ? undefined : eq(outbox.status, status),
    delivery === undefined ? undefined : eq(outbox.deliveryStatus, delivery),
    channel === undefined ? undefined : eq(outbox.channel, channel),
    source === undefined ? ne(outbox.source, "desk_notice") : eq(outbox.source, source),
    // Literals, because partial indexes can't be used with a bound value.
    status === undefined || status === "sent" ? undefined : sql`${outbox.status} <> 'sent'`,
    delivery === "failed" ? sql`${outbox.deliveryStatus} = 'failed'` : undefined,
  );
  const rows = await read
    .select()
    .from(outbox)
    .where(isWanted)
    .orderBy(desc(outbox.id))
    .limit(limit)
    .offset(offset);
  const [counted] = await read
    .select({ total: sql<number>`coalesce(sum(${sums.messages}), 0)`.mapWith(Number) })
    .from(sums)
    .where(
      and(
        tenant === undefined ? undefined : eq(sums.tenantId, tenant),
        status === undefined ? undefined : eq(sums.status, status),
        delivery === undefined ? undefined : eq(sums.deliveryStatus, delivery),
        channel === undefined ? undefined : eq(sums.channel, channel),
        source === undefined ? ne(sums.source, "desk_notice") : eq(sums.source, source),
      ),
    );
  return { entries: rows.map(presentEntry), total: counted?.total ?? 0, limit, offset };
}

export function presentEntry(row: OutboxRow): OutboxEntry {
  const { text, media, template } = row.payload;
  return {
    message_id: row.id,
    tenant_id: row.tenantId,
    channel: row.channel,
    account_id: row.accountId,
    recipient: row.recipient,
    status: row.status,
    attempts: row.attempts,
    last_error: row.lastError,
    next_retry_at: row.status === "pending" && isPutOff(row) ? row.dueAt.toISOString() : null,
    source: row.source,
    payload: {
      ...(text !== undefined && { text }),
      ...(media !== undefined && { media }),
      ...(template !== undefined && { template }),
    },
    delivery_status: row.deliveryStatus,
    created_at: row.createdAt.toISOString(),
    sent_at: row.sentAt?.toISOString() ?? null,
    channel_message_id: row.channelMessageId,
  };
}

/** True if the message had its turn before, or must wait for its provider's rate. */
const isPutOff = ({ waitingSince, dueAt, createdAt }: OutboxRow) =>
  waitingSince !== null || dueAt.getTime() > createdAt.getTime();
