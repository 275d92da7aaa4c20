import { and, eq, gte, ne, notInArray, sql } from "drizzle-orm";
import type { GatewayStats } from "../../../contracts/gateway/admin.ts";
import type { StorageUse } from "../../../contracts/platform/stored.ts";
import { storedAreas } from "../../../storage/room.ts";
import { tenantUse } from "../room/storage-room.ts";
import type { GatewayStorage } from "../tables.ts";

export interface StatsQuery {
  tenant?: string | undefined;
  /** `true` adds what the tenant stores. */
  storage?: "true" | "false" | undefined;
  /** Bytes of a tenant whose limit the platform didn't tell. */
  storageBytes: number;
  days: number;
  now: Date;
}

const dayMs = 24 * 60 * 60_000;
const count = sql<number>`count(*)`.mapWith(Number);

/** Counts the messages of the last days, today included, by UTC day, and all entries of the outbox by status, those for callbacks included. Without `tenant`, those of all tenants: for operators only. */
export async function readStats(
  storage: GatewayStorage,
  { tenant, days, now, storage: withStorage, storageBytes }: StatsQuery,
): Promise<GatewayStats> {
  const { read, tables } = storage;
  const { conversations, conversationMessages: messages, outbox } = tables;
  const today = Math.floor(now.getTime() / dayMs) * dayMs;
  const since = new Date(today - (days - 1) * dayMs);
  const inboundDay = dayOf(storage, messages.at);
  const inbound = await read
    .select({ day: inboundDay, channel: messages.channel, count })
    .from(messages)
    .where(
      and(
        gte(messages.at, since),
        eq(messages.direction, "inbound"),
        tenant === undefined ? undefined : eq(messages.tenantId, tenant),
      ),
    )
    .groupBy(inboundDay, messages.channel);
  const outboundDay = dayOf(storage, outbox.createdAt);
  const outbound = await read
    .select({ day: outboundDay, channel: outbox.channel, count })
    .from(outbox)
    .where(
      and(
        gte(outbox.createdAt, since),
        // A forwarded message is the user's, and is counted above.
        notInArray(outbox.source, ["inbound_forward", "desk_notice"]),
        tenant === undefined ? undefined : eq(outbox.tenantId, tenant),
      ),
    )
    .groupBy(outboundDay, outbox.channel);
  const queued = await read
    .select({ status: outbox.status, count, undelivered: undeliveredIn(outbox) })
    .from(outbox)
    .where(
      and(ne(outbox.source, "desk_notice"), tenant === undefined ? undefined : eq(outbox.tenantId, tenant)),
    )
    .groupBy(outbox.status);
  const [active] = await read
    .select({ count })
    .from(conversations)
    .where(
      and(
        gte(conversations.lastMessageAt, since),
        tenant === undefined ? undefined : eq(conversations.tenantId, tenant),
      ),
    );
  const dates = Array.from({ length: days }, (_, index) => since.getTime() / dayMs + index);
  return {
    messages_per_day: dates.map((day) => ({
      date: new Date(day * dayMs).toISOString().slice(0, 10),
      inbound: sum(inbound.filter((row) => row.day === day)),
      outbound: sum(outbound.filter((row) => row.day === day)),
    })),
    messages_by_channel: sumBy([...inbound, ...outbound], ({ channel }) => channel),
    active_conversations: active?.count ?? 0,
    outbox_by_status: sumBy(queued, ({ status }) => status),
    undelivered: queued.reduce((total, row) => total + row.undelivered, 0),
    ...(tenant !== undefined &&
      withStorage === "true" && { storage: await storageUse(storage, tenant, storageBytes) }),
  };
}

/** Number of messages that were accepted and then refused. */
const undeliveredIn = ({ status, deliveryStatus }: GatewayStorage["tables"]["outbox"]) =>
  sql<number>`sum(case when ${status} = 'sent' and ${deliveryStatus} = 'failed' then 1 else 0 end)`.mapWith(
    Number,
  );

/** What a tenant stores in all services, and how much it may. */
async function storageUse(storage: GatewayStorage, tenant: string, otherwise: number): Promise<StorageUse> {
  const { stored, limit } = await tenantUse(storage.read, storage.tables, tenant, otherwise);
  return { stored_bytes: stored, limit_bytes: limit, areas: await storedAreas(storage, tenant) };
}

type Instant =
  | GatewayStorage["tables"]["outbox"]["createdAt"]
  | GatewayStorage["tables"]["conversationMessages"]["at"];

/** Number of the UTC day since 1970. */
function dayOf({ dialect }: GatewayStorage, at: Instant) {
  const day =
    dialect === "postgres"
      ? sql<number>`floor(extract(epoch from ${at}) / 86400)`
      : sql<number>`${at} / 86400000`;
  return day.mapWith(Number);
}

interface Counted {
  count: number;
}

const sum = (rows: readonly Counted[]) => rows.reduce((total, row) => total + row.count, 0);

function sumBy<Row extends Counted>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Record<string, number> {
  const groups = Map.groupBy(rows, keyOf);
  return Object.fromEntries([...groups].sort().map(([key, some]) => [key, sum(some)]));
}
