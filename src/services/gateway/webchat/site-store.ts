import { and, eq } from "drizzle-orm";
import type { WebchatSite } from "../../../contracts/gateway/webchat.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayStoreDeps, GatewayTables } from "../tables.ts";
import type { ChatAccount } from "./receive-message.ts";

/** A web chat account with the origins of the pages that may show its chat. */
export interface ChatSite extends ChatAccount {
  origins: readonly string[];
}

/** Finds a web chat account by its external id, whichever tenant has it. */
export async function findSite(
  query: ReadQuery,
  { accounts, webchatSites }: GatewayTables,
  externalId: string,
): Promise<ChatSite | undefined> {
  const [row] = await query
    .select({ accountId: accounts.id, tenantId: accounts.tenantId, origins: webchatSites.origins })
    .from(accounts)
    .leftJoin(
      webchatSites,
      and(eq(webchatSites.accountId, accounts.id), eq(webchatSites.tenantId, accounts.tenantId)),
    )
    .where(and(eq(accounts.channel, "webchat"), eq(accounts.externalId, externalId)));
  return row && { ...row, account: externalId, origins: row.origins ?? [] };
}

/** For operators. Throws 404. */
export async function getSite(
  query: ReadQuery,
  tables: GatewayTables,
  externalId: string,
): Promise<ChatSite> {
  const site = await findSite(query, tables, externalId);
  if (site !== undefined) return site;
  throw new AppError("not_found", "not_found", `There is no webchat account ${externalId}.`);
}

/** Replaces the origins whose pages may show the chat of an account. Throws 400 for what is no origin, and 404. */
export async function saveSite(
  { storage, clock }: Pick<GatewayStoreDeps, "storage" | "clock">,
  externalId: string,
  given: readonly string[],
): Promise<WebchatSite> {
  const origins = [...new Set(given.map(requireOrigin))];
  const { webchatSites } = storage.tables;
  const site = await storage.transact(async (tx) => {
    const found = await getSite(tx, storage.tables, externalId);
    const { accountId, tenantId } = found;
    const change = { origins, updatedAt: clock.now() };
    await tx
      .insert(webchatSites)
      .values({ accountId, tenantId, ...change })
      .onConflictDoUpdate({ target: webchatSites.accountId, set: change });
    return { ...found, origins };
  });
  return presentSite(site);
}

export const presentSite = ({ account, tenantId, origins }: ChatSite): WebchatSite => ({
  cuenta: account,
  tenant_id: tenantId,
  origins: [...origins],
});

/** Returns an origin as browsers send it. Throws 400. */
function requireOrigin(text: string, index: number): string {
  const url = URL.parse(text);
  const isOrigin =
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    !url.hostname.includes("*") &&
    `${url.origin}/` === url.href;
  if (isOrigin) return url.origin;
  const path = `origins[${index}]`;
  const message = `must be an origin without a path, such as https://shop.example, got ${JSON.stringify(text)}`;
  throw new AppError("invalid", "invalid_request", `The body is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
}
