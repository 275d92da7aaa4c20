import { and, eq, gte, ne, notInArray, type SQLWrapper, sql } from "drizzle-orm";
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
const sumOf = (column: SQLWrapper) => sql<number>`sum(${column})`.mapWith(Number);

/** Counts the messages of the last days, today included, by UTC day, and all entries of the outbox by status, those for callbacks included. Without `tenant`, those of all tenants: for operators only. */
export async function readStats(
  storage: GatewayStorage,
  { tenant, days, now, storage: withStorage, storageBytes }: StatsQuery,
): Promise<GatewayStats> {
  const { read, tables } = storage;
  const { conversations, messageSums, outboxSums } = tables;
  const today = Math.floor(now.getTime() / dayMs);
  const firstDay = today - (days - 1);
  const since = new Date(firstDay * dayMs);
  const inbound = await read
    .select({ day: messageSums.day, channel: messageSums.channel, count: sumOf(messageSums.messages) })
    .from(messageSums)
    .where(
      and(
        gte(messageSums.day, firstDay),
        eq(messageSums.direction, "inbound"),
        tenant === undefined ? undefined : eq(messageSums.tenantId, tenant),
      ),
    )
    .groupBy(messageSums.day, messageSums.channel);
  const outbound = await read
    .select({ day: outboxSums.day, channel: outboxSums.channel, count: sumOf(outboxSums.messages) })
    .from(outboxSums)
    .where(
      and(
        gte(outboxSums.day, firstDay),
        // A forwarded message is the user's, and is counted above.
        notInArray(outboxSums.source, ["inbound_forward", "desk_notice"]),
        tenant === undefined ? undefined : eq(outboxSums.tenantId, tenant),
      ),
    )
    .groupBy(outboxSums.day, outboxSums.channel);
  const queued = await read
    .select({
      status: outboxSums.status,
      delivery: outboxSums.deliveryStatus,
      count: sumOf(outboxSums.messages),
    })
    .from(outboxSums)
    .where(
      and(
        ne(outboxSums.source, "desk_notice"),
        tenant === undefined ? undefined : eq(outboxSums.tenantId, tenant),
      ),
    )
    .groupBy(outboxSums.status, outboxSums.deliveryStatus)
    .having(sql`sum(${outboxSums.messages}) > 0`);
  const [active] = await read
    .select({ count })
    .from(conversations)
    .where(
      and(
        gte(conversations.lastMessageAt, since),
        tenant === undefined ? undefined : eq(conversations.tenantId, tenant),
      ),
    );
  const dates = Array.from({ length: days }, (_, index) => firstDay + index);
  return {
    messages_per_day: dates.map((day) => ({
      date: new Date(day * dayMs).toISOString().slice(0, 10),
      inbound: sum(inbound.filter((row) => row.day === day)),
      outbound: sum(outbound.filter((row) => row.day === day)),
    })),
    messages_by_channel: sumBy(
      [...inbound, ...outbound].filter((row) => row.count > 0),
      ({ channel }) => channel,
    ),
    active_conversations: active?.count ?? 0,
    outbox_by_status: sumBy(queued, ({ status }) => status),
    undelivered: sum(queued.filter(({ status, delivery }) => status === "sent" && delivery === "failed")),
    ...(tenant !== undefined &&
      withStorage === "true" && { storage: await storageUse(storage, tenant, storageBytes) }),
  };
}

/** What a tenant stores in all services, and how much it may. */
async function storageUse(storage: GatewayStorage, tenant: string, otherwise: number): Promise<StorageUse> {
  const { stored, limit } = await tenantUse(storage.read, storage.tables, tenant, otherwise);
  return { stored_bytes: stored, limit_bytes: limit, areas: await storedAreas(storage, tenant) };
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
