import { and, eq } from "drizzle-orm";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { EventFeed } from "../events/event-feed.ts";
import { failWaiting } from "../outbox/fail-waiting.ts";
import { outboundChange } from "../outbox/outbound-change.ts";
import type { GatewayStoreDeps } from "../tables.ts";
import { type AccountRow, getAnyAccount, presentAccount } from "./store.ts";

type ChangePorts = Pick<GatewayStoreDeps, "storage">;

/** Deletes an account with its binding. Its waiting messages, and those for its callback, become `failed`. Throws 404. */
export async function deleteAccount(
  { storage, clock, newId, feed }: GatewayStoreDeps & { feed: EventFeed },
  id: string,
): Promise<AccountRow> {
  const { accounts, bindings, webchatSites } = storage.tables;
  const { account, failed } = await storage.transact(async (tx) => {
    const account = await getAnyAccount(tx, storage.tables, id);
    const { tenantId } = account;
    await tx
      .delete(bindings)
      .where(and(eq(bindings.tenantId, tenantId), eq(bindings.accountId, id)))
      .returning({ id: bindings.id });
    await tx
      .delete(webchatSites)
      .where(and(eq(webchatSites.tenantId, tenantId), eq(webchatSites.accountId, id)))
      .returning({ id: webchatSites.accountId });
    const failing = { tenantId, accountId: id, error: "account_deleted" } as const;
    const failed = await failWaiting(tx, storage.tables, newId, failing, clock.now());
    await tx
      .delete(accounts)
      .where(and(eq(accounts.tenantId, tenantId), eq(accounts.id, id)))
      .returning({ id: accounts.id });
    return { account, failed };
  });
  for (const row of failed) feed.publish(outboundChange(row, "failed"));
  return account;
}

/** Lets an account send nothing until it is resumed. An account that its provider paused keeps that reason. Throws 404. */
export async function pauseAccount({ storage }: ChangePorts, id: string): Promise<Account> {
  const { accounts } = storage.tables;
  const paused = await storage.transact(async (tx) => {
    const account = await getAnyAccount(tx, storage.tables, id);
    const pausedReason = account.pausedReason ?? "paused by an operator";
    await tx
      .update(accounts)
      .set({ pausedReason })
      .where(and(eq(accounts.tenantId, account.tenantId), eq(accounts.id, id)))
      .returning({ id: accounts.id });
    return { ...account, pausedReason };
  });
  return presentAccount(paused);
}

/** Lets a paused account send again, at once. Does nothing to one that works. Throws 404. */
export async function resumeAccount(
  { storage, bell }: ChangePorts & { bell: OutboxBell },
  id: string,
): Promise<Account> {
  const { accounts } = storage.tables;
  const resumed = await storage.transact(async (tx) => {
    const account = await getAnyAccount(tx, storage.tables, id);
    await tx
      .update(accounts)
      .set({ pausedReason: null, quietUntil: null })
      .where(and(eq(accounts.tenantId, account.tenantId), eq(accounts.id, id)))
      .returning({ id: accounts.id });
    return { ...account, pausedReason: null, quietUntil: null };
  });
  bell.ring();
  return presentAccount(resumed);
}
