import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { AppError } from "../../../kit/app-error.ts";
import { batches } from "../../../kit/batches.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import type { TenantListQuery } from "../tenant-list-query.ts";

export type AccountRow = GatewayTables["accounts"]["$inferSelect"];

/** The account that a provider's id names, whichever tenant has it. */
export async function findExternal(
  query: ReadQuery,
  tables: GatewayTables,
  channel: ChannelName,
  externalId: string,
): Promise<AccountRow | undefined> {
  const [row] = await ofExternal(query, tables).execute({ channel, externalId });
  return row;
}

const ofExternal = statement((query: ReadQuery, { accounts }: GatewayTables) =>
  query
    .select()
    .from(accounts)
    .where(
      and(
        sql`${accounts.channel} = ${sql.placeholder("channel")}`,
        sql`${accounts.externalId} = ${sql.placeholder("externalId")}`,
      ),
    )
    .prepare("account_of_external_id"),
);

/** The accounts that a delivery names, of any tenants. */
export async function findExternals(
  query: ReadQuery,
  tables: GatewayTables,
  channel: ChannelName,
  externalIds: readonly string[],
): Promise<AccountRow[]> {
  const { accounts } = tables;
  // Nearly every delivery names one account.
  if (externalIds.length === 1)
    return ofExternal(query, tables).execute({ channel, externalId: externalIds[0] });
  const found: AccountRow[] = [];
  for (const some of batches(externalIds, 500)) {
    found.push(
      ...(await query
        .select()
        .from(accounts)
        .where(and(eq(accounts.channel, channel), inArray(accounts.externalId, some)))),
    );
  }
  return found;
}

/** The account of a channel that has exactly one, whichever tenant has it. */
export async function findOnlyAccount(
  query: ReadQuery,
  { accounts }: GatewayTables,
  channel: ChannelName,
): Promise<AccountRow | undefined> {
  const rows = await query.select().from(accounts).where(eq(accounts.channel, channel)).limit(2);
  return rows.length === 1 ? rows[0] : undefined;
}

export async function findAccount(
  query: ReadQuery,
  tables: GatewayTables,
  tenantId: string,
  id: string,
): Promise<AccountRow | undefined> {
  const [row] = await ofId(query, tables).execute({ tenantId, id });
  return row;
}

const ofId = statement((query: ReadQuery, { accounts }: GatewayTables) =>
  query
    .select()
    .from(accounts)
    .where(and(equalsBound(accounts.tenantId, "tenantId"), equalsBound(accounts.id, "id")))
    .prepare("account_of_tenant"),
);

/** The account that a tenant's messages on a channel are sent from by default. */
export async function findOldestAccount(
  query: ReadQuery,
  { accounts }: GatewayTables,
  tenantId: string,
  channel: ChannelName,
): Promise<AccountRow | undefined> {
  const [row] = await query
    .select()
    .from(accounts)
    .where(and(eq(accounts.tenantId, tenantId), eq(accounts.channel, channel)))
    .orderBy(asc(accounts.createdAt), asc(accounts.id))
    .limit(1);
  return row;
}

/** For operators, who name no tenant. Throws 404. */
export async function getAnyAccount(
  query: ReadQuery,
  { accounts }: GatewayTables,
  id: string,
): Promise<AccountRow> {
  const [row] = await query.select().from(accounts).where(eq(accounts.id, id));
  if (row !== undefined) return row;
  throw new AppError("not_found", "not_found", `There is no account ${id}.`);
}

/** Returns an account that the desk may see: without a tenant, any. Throws 404. */
export async function getDeskAccount(
  query: ReadQuery,
  tables: GatewayTables,
  { tenantId }: { tenantId: string | undefined },
  id: string,
): Promise<AccountRow> {
  const account = await getAnyAccount(query, tables, id);
  if (tenantId === undefined || account.tenantId === tenantId) return account;
  throw new AppError("not_found", "not_found", `There is no account ${id}.`);
}

export async function countAccounts(
  query: ReadQuery,
  { accounts }: GatewayTables,
  tenantId: string,
): Promise<number> {
  const [row] = await query
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(accounts)
    .where(eq(accounts.tenantId, tenantId));
  return row?.count ?? 0;
}

/** Lists the accounts of a tenant, oldest first: all, at most `spec.gateway.accounts`, or a part of them. */
export async function listAccounts(
  { read, tables: { accounts } }: GatewayStorage,
  { tenant_id, channel, limit = Number.MAX_SAFE_INTEGER, offset }: TenantListQuery,
): Promise<Account[]> {
  const rows = await read
    .select()
    .from(accounts)
    .where(
      and(
        eq(accounts.tenantId, tenant_id),
        channel === undefined ? undefined : eq(accounts.channel, channel),
      ),
    )
    .orderBy(asc(accounts.createdAt), asc(accounts.id))
    .limit(limit)
    .offset(offset);
  return rows.map(presentAccount);
}

export const presentAccount = (row: AccountRow): Account => ({
  id: row.id,
  tenant_id: row.tenantId,
  channel: row.channel,
  external_id: row.externalId,
  credentials: row.masked,
  emulated: row.emulated,
  status: row.pausedReason === null ? "active" : "paused",
  paused_reason: row.pausedReason,
  created_at: row.createdAt.toISOString(),
});
