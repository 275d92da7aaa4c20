import { and, eq, inArray, isNotNull, or, sql } from "drizzle-orm";
import { promoteLanes } from "../../../channels/outbox/settle-messages.ts";
import type { Clock } from "../../../kit/clock.ts";
import { isPostgres } from "../../../storage/json-rows.ts";
import type { Query } from "../../../storage/storage.ts";
import type { DeskActor } from "../auth/desk-credential.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import { groupsOf, type SoughtSpeaker } from "./group-speakers.ts";
import { type ContactRow, getDeskContact, noContact } from "./list-contacts.ts";

export type Forgetting = GatewayTables["forgettings"]["$inferSelect"];

/** The caller's own try comes first. */
const firstSweepMs = 60_000;

/**
 * Begins to forget a contact: it is gone from every list, nothing that waits of it is sent or answered, and what is still to be deleted is noted,
 * in one transaction. A repeated call finds what was noted. Throws 404.
 */
export async function forgetContact(
  { storage, clock, feed }: { storage: GatewayStorage; clock: Clock; feed: EventFeed },
  desk: Pick<DeskActor, "tenantId">,
  id: string,
): Promise<Forgetting> {
  const { tables } = storage;
  const { forgettings } = tables;
  const { forgetting, gone } = await storage.transact(
    async (tx) => {
      const { tenantId } = desk;
      const [known] = await tx
        .select()
        .from(forgettings)
        .where(
          and(
            eq(forgettings.id, id),
            tenantId === undefined ? undefined : eq(forgettings.tenantId, tenantId),
          ),
        );
      if (known !== undefined) return { forgetting: known, gone: [] };
      const contact = await lockContact(tx, tables, await getDeskContact(tx, tables, desk, id));
      if (contact === undefined) throw noContact(id);
      return unhook(tx, tables, contact, clock.now());
    },
    { isolation: "read committed" },
  );
  feed.publish(
    ...gone.map(({ id, tenantId, accountId, channel }) => ({
      about: "conversation" as const,
      change: "forgotten" as const,
      tenant_id: tenantId,
      account_id: accountId,
      channel,
      conversation_id: id,
    })),
  );
  return forgetting;
}

async function lockContact(
  tx: Query,
  { contacts }: GatewayTables,
  { id, tenantId }: ContactRow,
): Promise<ContactRow | undefined> {
  const query = tx
    .select()
    .from(contacts)
    .where(and(eq(contacts.tenantId, tenantId), eq(contacts.id, id)));
  // Orders this with merges and new conversations. On SQLite, there is no other transaction.
  if (isPostgres(contacts)) query.for("update");
  const [row] = await query;
  return row;
}

async function unhook(tx: Query, tables: GatewayTables, { id, tenantId }: ContactRow, now: Date) {
  const { accounts, contacts, contactAddresses, conversations, forgettings, identities, inbound } = tables;
  const query = tx
    .select()
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.contactId, id)));
  if (isPostgres(conversations)) query.for("update");
  const gone = await query;
  const removed = await tx
    .delete(contactAddresses)
    .where(and(eq(contactAddresses.tenantId, tenantId), eq(contactAddresses.contactId, id)))
    .returning();
  const addresses = [
    ...new Set([
      ...removed.map(({ value }) => value),
      ...gone.flatMap(({ externalUser, recipient }) => [externalUser, recipient ?? externalUser]),
    ]),
  ];
  const [contact] = await tx
    .delete(contacts)
    .where(and(eq(contacts.tenantId, tenantId), eq(contacts.id, id)))
    .returning();
  const ofChannel = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.tenantId, tenantId), contact && eq(accounts.channel, contact.channel)));
  const scopes = removed.map(({ scope }) => scope);
  const accountIds = ofChannel
    .map((account) => account.id)
    .filter((one) => scopes.includes("") || scopes.includes(one));
  await noteSessions(tx, tables, { id, tenantId }, gone);
  await noteGroups(tx, tables, id, { tenantId, accountIds, addresses });
  const conversationIds = gone.map((conversation) => conversation.id);
  await tx
    .delete(conversations)
    .where(and(eq(conversations.tenantId, tenantId), inArray(conversations.id, conversationIds)))
    .returning({ id: conversations.id });
  await tx
    .delete(identities)
    .where(
      and(
        eq(identities.tenantId, tenantId),
        contact && eq(identities.channel, contact.channel),
        inArray(identities.externalUser, addresses),
      ),
    )
    .returning({ phone: identities.phone });
  // What is being worked on loses its row: its end is not stored.
  const lanes = accountIds.flatMap((account) => addresses.map((address) => `${account}:c:${address}`));
  await tx
    .delete(inbound)
    .where(
      and(
        eq(inbound.tenantId, tenantId),
        isNotNull(inbound.lane),
        or(inArray(inbound.conversationId, conversationIds), inArray(inbound.lane, lanes)),
      ),
    )
    .returning({ id: inbound.id });
  await dropWaiting(tx, tables, tenantId, conversationIds);
  const forgetting: Forgetting = {
    id,
    tenantId,
    addresses,
    accountIds,
    conversationIds,
    tries: 0,
    dueAt: new Date(now.getTime() + firstSweepMs),
    createdAt: now,
  };
  await tx.insert(forgettings).values(forgetting);
  return { forgetting, gone };
}

/** Notes the sessions in which agents may know the contact. */
async function noteSessions(
  tx: Query,
  tables: GatewayTables,
  { id: forgettingId, tenantId }: { id: string; tenantId: string },
  conversations: readonly GatewayTables["conversations"]["$inferSelect"][],
): Promise<void> {
  const { forgottenSessions, mergedIds } = tables;
  for (const { id, accountId, sessionId, agentName } of conversations) {
    const merged = await tx
      .delete(mergedIds)
      .where(
        and(eq(mergedIds.tenantId, tenantId), eq(mergedIds.of, "conversation"), eq(mergedIds.intoId, id)),
      )
      .returning({ sessionId: mergedIds.sessionId });
    const former = merged.flatMap((one) => (one.sessionId === null ? [] : [one.sessionId]));
    const isServed = agentName !== null || former.length > 0 || (await hasRun(tx, tables, tenantId, id));
    if (!isServed) continue;
    for (const session of new Set([sessionId, ...former]))
      await tx
        .insert(forgottenSessions)
        .values({ tenantId, sessionId: session, forgettingId, accountId })
        .onConflictDoUpdate({
          target: [forgottenSessions.tenantId, forgottenSessions.sessionId],
          set: { forgettingId, accountId },
        });
  }
  await tx
    .delete(mergedIds)
    .where(
      and(eq(mergedIds.tenantId, tenantId), eq(mergedIds.of, "contact"), eq(mergedIds.intoId, forgettingId)),
    )
    .returning({ id: mergedIds.id });
}

/** Agents know a group by one session, with all who wrote there. */
async function noteGroups(
  tx: Query,
  tables: GatewayTables,
  forgettingId: string,
  sought: SoughtSpeaker,
): Promise<void> {
  const { conversations, forgottenSessions } = tables;
  const { tenantId } = sought;
  for (const id of await groupsOf(tx, tables, sought)) {
    const [group] = await tx
      .select()
      .from(conversations)
      .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, id)));
    if (group === undefined || !(group.agentName !== null || (await hasRun(tx, tables, tenantId, id))))
      continue;
    const { sessionId, accountId } = group;
    await tx
      .insert(forgottenSessions)
      .values({ tenantId, sessionId, forgettingId, accountId })
      .onConflictDoUpdate({
        target: [forgottenSessions.tenantId, forgottenSessions.sessionId],
        set: { forgettingId, accountId },
      });
  }
}

/** True if a run answered a message of the conversation, or answers one now. */
async function hasRun(
  tx: Query,
  { inbound, outbox }: GatewayTables,
  tenantId: string,
  id: string,
): Promise<boolean> {
  const [asked] = await tx
    .select({ one: sql`1` })
    .from(inbound)
    .where(
      and(
        eq(inbound.tenantId, tenantId),
        eq(inbound.conversationId, id),
        or(isNotNull(inbound.invocationId), isNotNull(inbound.plan)),
      ),
    )
    .limit(1);
  if (asked !== undefined) return true;
  const [answered] = await tx
    .select({ one: sql`1` })
    .from(outbox)
    .where(and(eq(outbox.tenantId, tenantId), eq(outbox.conversationId, id), isNotNull(outbox.invocationId)))
    .limit(1);
  return answered !== undefined;
}

async function dropWaiting(
  tx: Query,
  tables: GatewayTables,
  tenantId: string,
  conversationIds: readonly string[],
): Promise<void> {
  const { outbox } = tables;
  const isWaiting = and(
    eq(outbox.tenantId, tenantId),
    inArray(outbox.conversationId, [...conversationIds]),
    isNotNull(outbox.lane),
  );
  const waiting = await tx.select({ lane: outbox.lane }).from(outbox).where(isWaiting);
  await tx.delete(outbox).where(isWaiting).returning({ id: outbox.id });
  await promoteLanes(
    tx,
    tables,
    waiting.flatMap(({ lane }) => (lane === null ? [] : [lane])),
  );
}
