import { and, desc, eq, inArray, lt, sql } from "drizzle-orm";
import type { Grant, GrantList } from "../../../contracts/platform/billing/grants.ts";
import { type PageRequest, pageOf, readIdCursor } from "../../../http/paging.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import type { GrantRow } from "./schema.ts";

/** Lists a tenant's grants, newest first, with what is left of them. Throws 404 for an unknown tenant. */
export async function listGrants(
  { storage: { read, tables }, clock }: StoreDeps,
  tenantId: string,
  { limit, cursor }: PageRequest,
): Promise<GrantList> {
  const { grants, grantUses, tenants } = tables;
  const before = readIdCursor(cursor);
  const [tenant] = await read.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  const rows = await read
    .select()
    .from(grants)
    .where(and(eq(grants.tenantId, tenantId), before === undefined ? undefined : lt(grants.id, before)))
    .orderBy(desc(grants.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  const used = await usesOf(read, grantUses, tenantId, page);
  const now = clock.now();
  return { grants: page.map((row) => presentGrant(row, used.get(row.id) ?? 0, now)), ...next };
}

export function presentGrant(row: GrantRow, usedMicros: number, now: Date): Grant {
  const isExpired = row.expiresAt !== null && row.expiresAt <= now;
  const rest = row.creditsMicros - usedMicros;
  return {
    id: row.id,
    tenant_id: row.tenantId,
    credits_micros: row.creditsMicros,
    reason: row.reason,
    expires_at: row.expiresAt?.toISOString() ?? null,
    price_micros: row.priceMicros,
    created_by: row.createdBy,
    created_at: row.createdAt.toISOString(),
    used_micros: usedMicros,
    left_micros: isExpired ? 0 : rest,
    expired_micros: isExpired ? rest : 0,
  };
}

async function usesOf(
  read: ReadQuery,
  grantUses: PlatformTables["grantUses"],
  tenantId: string,
  grants: readonly GrantRow[],
): Promise<Map<string, number>> {
  if (grants.length === 0) return new Map();
  const rows = await read
    .select({ id: grantUses.grantId, used: sql`sum(${grantUses.usedMicros})`.mapWith(Number) })
    .from(grantUses)
    .where(
      and(
        eq(grantUses.tenantId, tenantId),
        inArray(
          grantUses.grantId,
          grants.map(({ id }) => id),
        ),
      ),
    )
    .groupBy(grantUses.grantId);
  return new Map(rows.map(({ id, used }) => [id, used]));
}
