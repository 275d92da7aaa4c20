import { and, eq, isNull } from "drizzle-orm";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { Person } from "../auth/find-actor.ts";
import type { PlatformTables } from "../tables.ts";

export type TenantRow = PlatformTables["tenants"]["$inferSelect"];

/** The living tenant that this person may change: their own, or any for an operator. Throws 404 for all others. */
export async function getOwnTenant(
  query: ReadQuery,
  { tenants }: PlatformTables,
  { userId, role }: Person,
  tenantId: string,
): Promise<TenantRow> {
  const [row] = await query
    .select()
    .from(tenants)
    .where(and(eq(tenants.id, tenantId), isNull(tenants.deletedAt)));
  if (row !== undefined && (row.userId === userId || role === "operator")) return row;
  throw new AppError("not_found", "not_found", "There is no such tenant.");
}
