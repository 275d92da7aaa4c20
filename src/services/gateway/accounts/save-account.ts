import { and, eq } from "drizzle-orm";
import type { Account, AccountInput } from "../../../contracts/gateway/accounts.ts";
import { entityTag, type RequireMatch } from "../../../http/entity-tag.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { GatewayStoreDeps, GatewayTables } from "../tables.ts";
import { accountSeal, masked, requireCredentials, requireSealer } from "./credentials.ts";
import { type AccountRow, countAccounts, findExternal, presentAccount } from "./store.ts";

/** Tells a bot's provider where to deliver. */
export interface WebhookRegistrar {
  /** Rejects if the provider did not accept the address. */
  register(account: { id: string; tenantId: string; externalId: string; botToken: string }): Promise<void>;
}

export interface AccountPorts extends GatewayStoreDeps {
  sealer: Sealer | undefined;
  webhooks: WebhookRegistrar;
  /** Accounts that a tenant may have. */
  accountsMax: number;
}

/** ETag of an account. Sealing makes another text of the same credentials, so each saved set counts as a change. */
export const accountTag = ({
  id,
  credentials,
  emulated,
}: Pick<AccountRow, "id" | "credentials" | "emulated">) => entityTag([id, credentials, emulated]);

/** Another request may create or delete the same account in between. */
const roundsMax = 3;

/**
 * Creates a tenant's account, or refreshes the credentials of the one it has. Throws 400 for faulty credentials, 409 for another tenant's
 * account and for one account too many, and 502 if a bot's webhook can't be registered.
 */
export async function saveAccount(
  ports: AccountPorts,
  input: AccountInput,
  match: RequireMatch = () => {},
): Promise<{ account: Account; tag: string; isNew: boolean }> {
  requireCredentials(input.channel, input.credentials ?? {});
  const sealer = requireSealer(ports.sealer);
  for (let round = 1; round <= roundsMax; round++) {
    const saved = await saveOnce(ports, sealer, input, match);
    if (saved !== undefined) return saved;
  }
  throw new AppError("conflict", "account_changed", "The account was changed at the same time; try again.");
}

/** Returns undefined if another request was faster. */
async function saveOnce(
  { storage, clock, newId, webhooks, accountsMax }: AccountPorts,
  sealer: Sealer,
  input: AccountInput,
  match: RequireMatch,
): Promise<{ account: Account; tag: string; isNew: boolean } | undefined> {
  const { tenant_id: tenantId, channel, external_id: externalId, credentials = {}, emulated } = input;
  const known = await findExternal(storage.read, storage.tables, channel, externalId);
  if (known !== undefined && known.tenantId !== tenantId) {
    throw new AppError("conflict", "account_taken", `The ${channel} account ${externalId} is in use.`);
  }
  match(known && accountTag(known));
  const requireRoom = async (query: ReadQuery) => {
    if (known === undefined && (await countAccounts(query, storage.tables, tenantId)) >= accountsMax)
      throw accountLimitReached(tenantId, accountsMax);
  };
  await requireRoom(storage.read);
  const id = known?.id ?? newId();
  const row: AccountRow = {
    id,
    tenantId,
    channel,
    externalId,
    credentials: sealer.seal(JSON.stringify(credentials), accountSeal(tenantId, id)),
    masked: Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, masked(value)])),
    emulated: emulated ?? known?.emulated ?? false,
    pausedReason: known?.pausedReason ?? null,
    quietUntil: known?.quietUntil ?? null,
    createdAt: known?.createdAt ?? clock.now(),
  };
  // The provider calls back to an account of ours, so an emulated one must not be registered.
  if (channel === "bot_messenger" && !row.emulated) {
    const bot = { id, tenantId, externalId, botToken: credentials.bot_token ?? "" };
    await webhooks.register(bot).catch((thrown) => {
      throw webhookRefused(thrown);
    });
  }
  const isStored = await storage.transact(async (tx) => {
    await requireRoom(tx);
    const present = await findExternal(tx, storage.tables, channel, externalId);
    match(present && accountTag(present));
    if (known === undefined) return insertNew(tx, storage.tables, row);
    const changed = await tx
      .update(storage.tables.accounts)
      .set({ credentials: row.credentials, masked: row.masked, emulated: row.emulated })
      .where(and(eq(storage.tables.accounts.tenantId, tenantId), eq(storage.tables.accounts.id, id)))
      .returning({ id: storage.tables.accounts.id });
    return changed.length > 0;
  });
  return isStored
    ? { account: presentAccount(row), tag: accountTag(row), isNew: known === undefined }
    : undefined;
}

const accountLimitReached = (tenantId: string, accountsMax: number) =>
  new AppError("conflict", "account_limit_reached", `Tenant ${tenantId} has ${accountsMax} accounts.`, {
    details: { hint: "Delete one that is not used, or raise spec.gateway.accounts in runtime.yaml." },
  });

async function insertNew(tx: Query, { accounts }: GatewayTables, row: AccountRow): Promise<boolean> {
  const added = await tx.insert(accounts).values(row).onConflictDoNothing().returning({ id: accounts.id });
  return added.length > 0;
}

function webhookRefused(thrown: unknown): AppError {
  const reason = thrown instanceof AppError ? thrown.message : "the provider could not be reached.";
  return new AppError(
    "upstream_failed",
    "webhook_not_registered",
    `The bot's webhook could not be registered: ${reason}`,
    { cause: thrown },
  );
}
