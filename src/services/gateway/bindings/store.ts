import { and, asc, eq } from "drizzle-orm";
import type { Binding } from "../../../contracts/gateway/bindings.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import type { TenantListQuery } from "../tenant-list-query.ts";
import { type BindingConfig, bindingSeal } from "./binding-config.ts";

export type BindingRow = GatewayTables["bindings"]["$inferSelect"];

/** The binding of an account; there is at most one. */
export async function findBindingOf(
  query: ReadQuery,
  tables: GatewayTables,
  tenantId: string,
  accountId: string,
): Promise<BindingRow | undefined> {
  const [row] = await ofAccount(query, tables).execute({ tenantId, accountId });
  return row;
}

const ofAccount = statement((query: ReadQuery, { bindings }: GatewayTables) =>
  query
    .select()
    .from(bindings)
    .where(and(equalsBound(bindings.tenantId, "tenantId"), equalsBound(bindings.accountId, "accountId")))
    .prepare("binding_of_account"),
);

/** For operators, who name no tenant. Throws 404. */
export async function getAnyBinding(
  query: ReadQuery,
  { bindings }: GatewayTables,
  id: string,
): Promise<BindingRow> {
  const [row] = await query.select().from(bindings).where(eq(bindings.id, id));
  if (row !== undefined) return row;
  throw new AppError("not_found", "not_found", `There is no binding ${id}.`);
}

/** Lists the bindings of a tenant, oldest first: all, at most one for each account, or a part of them. */
export async function listBindings(
  { read, tables: { bindings } }: GatewayStorage,
  { tenant_id, channel, limit = Number.MAX_SAFE_INTEGER, offset }: TenantListQuery,
): Promise<Binding[]> {
  const rows = await read
    .select()
    .from(bindings)
    .where(
      and(
        eq(bindings.tenantId, tenant_id),
        channel === undefined ? undefined : eq(bindings.channel, channel),
      ),
    )
    .orderBy(asc(bindings.createdAt), asc(bindings.id))
    .limit(limit)
    .offset(offset);
  return rows.map(presentBinding);
}

/** Deletes a binding, for operators. Throws 404. */
export async function deleteBinding(storage: GatewayStorage, id: string): Promise<void> {
  const { bindings } = storage.tables;
  await storage.transact(async (tx) => {
    const { tenantId } = await getAnyBinding(tx, storage.tables, id);
    await tx
      .delete(bindings)
      .where(and(eq(bindings.tenantId, tenantId), eq(bindings.id, id)))
      .returning({ id: bindings.id });
  });
}

export const openConfig = (sealer: Sealer, { tenantId, id, config }: BindingRow): BindingConfig =>
  JSON.parse(sealer.open(config, bindingSeal(tenantId, id)));

export const presentBinding = (row: BindingRow): Binding => ({
  id: row.id,
  tenant_id: row.tenantId,
  channel: row.channel,
  account_id: row.accountId,
  entry_agent: row.entryAgent,
  fallback_message: row.fallbackMessage,
  config: row.masked,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});
