import { and, desc, eq, sql } from "drizzle-orm";
import type { ParkedEventPage } from "../../../contracts/gateway/inbound.ts";
import type { GatewayStorage } from "../tables.ts";

export interface ParkedFilter {
  tenant?: string | undefined;
  limit: number;
  offset: number;
}

/** Lists parked events, newest first. Without `tenant`, those of all tenants: for operators only. */
export async function listParked(
  { read, tables: { inbound } }: GatewayStorage,
  { tenant, limit, offset }: ParkedFilter,
): Promise<ParkedEventPage> {
  const isWanted = and(
    eq(inbound.state, "parked"),
    tenant === undefined ? undefined : eq(inbound.tenantId, tenant),
  );
  const rows = await read
    .select()
    .from(inbound)
    .where(isWanted)
    .orderBy(desc(inbound.id))
    .limit(limit)
    .offset(offset);
  const [counted] = await read
    .select({ total: sql<number>`count(*)`.mapWith(Number) })
    .from(inbound)
    .where(isWanted);
  const events = rows.map((row) => ({
    event_id: row.id,
    tenant_id: row.tenantId,
    channel: row.channel,
    account_id: row.accountId,
    kind: row.kind,
    failed_tries: row.tries,
    interruptions: row.interruptions,
    received_at: row.receivedAt.toISOString(),
    parked_at: (row.closedAt ?? row.receivedAt).toISOString(),
  }));
  return { events, total: counted?.total ?? 0, limit, offset };
}
