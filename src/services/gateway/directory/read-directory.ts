import { and, desc, eq, sql } from "drizzle-orm";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { AccountWebhook, Directory, DirectoryEntry } from "../../../contracts/gateway/directory.ts";
import { getAnyAccount, getDeskAccount, presentAccount } from "../accounts/store.ts";
import { findBindingOf, presentBinding } from "../bindings/store.ts";
import { getWebhook, type WebhookPorts } from "../inbound/webhook-secrets.ts";
import type { GatewayStorage } from "../tables.ts";

export interface DirectoryQuery {
  tenant?: string | undefined;
  channel?: ChannelName | undefined;
  limit: number;
  offset: number;
}

/** Lists accounts with their bindings, the newest first. Without `tenant`, those of all tenants: for operators only. */
export async function readDirectory(
  { read, tables: { accounts, bindings } }: GatewayStorage,
  { tenant, channel, limit, offset }: DirectoryQuery,
): Promise<Directory> {
  const isWanted = and(
    tenant === undefined ? undefined : eq(accounts.tenantId, tenant),
    channel === undefined ? undefined : eq(accounts.channel, channel),
  );
  const rows = await read
    .select({ account: accounts, binding: bindings })
    .from(accounts)
    .leftJoin(bindings, and(eq(bindings.accountId, accounts.id), eq(bindings.tenantId, accounts.tenantId)))
    .where(isWanted)
    .orderBy(desc(accounts.createdAt), desc(accounts.id))
    .limit(limit)
    .offset(offset);
  const [counted] = await read
    .select({ total: sql<number>`count(*)`.mapWith(Number) })
    .from(accounts)
    .where(isWanted);
  return {
    entries: rows.map(({ account, binding }) => ({
      account: presentAccount(account),
      binding: binding === null ? null : presentBinding(binding),
    })),
    total: counted?.total ?? 0,
    limit,
    offset,
  };
}

/** Returns an account with its binding. Throws 404. */
export async function readEntry(
  { read, tables }: GatewayStorage,
  desk: { tenantId: string | undefined },
  id: string,
): Promise<DirectoryEntry> {
  const account = await getDeskAccount(read, tables, desk, id);
  const binding = await findBindingOf(read, tables, account.tenantId, id);
  return {
    account: presentAccount(account),
    binding: binding === undefined ? null : presentBinding(binding),
  };
}

/** Channels whose deliveries name no account in their body, so that their address does. */
const named: ReadonlySet<ChannelName> = new Set(["bot_messenger", "echo"]);

/** Returns the address and the token that an account's provider needs. Throws 404. */
export async function readWebhook(
  ports: WebhookPorts & { publicBaseUrl: string | undefined },
  id: string,
): Promise<AccountWebhook> {
  const { storage, publicBaseUrl } = ports;
  const { channel, externalId, masked } = await getAnyAccount(storage.read, storage.tables, id);
  const hasOwnApp = masked.app_secret !== undefined;
  const path =
    hasOwnApp || named.has(channel)
      ? `/webhooks/${channel}/${encodeURIComponent(externalId)}`
      : `/webhooks/${channel}`;
  const found = await getWebhook(ports, channel, hasOwnApp ? externalId : undefined).catch(() => undefined);
  return {
    path,
    url: publicBaseUrl === undefined ? null : `${publicBaseUrl}${path}`,
    accepts: found !== undefined,
    verify_token: found?.verifyToken ?? null,
  };
}
