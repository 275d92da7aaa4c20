import { and, asc, eq, inArray } from "drizzle-orm";
import type { NewId } from "../../../kit/id.ts";
import { isPostgres } from "../../../storage/json-rows.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import { mergeConversations } from "./merge-conversations.ts";
import { noteMerged } from "./merged-ids.ts";

/** Merges contacts that are one person into the oldest of them, with their conversations. Others' merges of them wait. */
export async function mergeContacts(
  tx: Query,
  tables: GatewayTables,
  newId: NewId,
  tenantId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  const { contacts, contactAddresses, conversations } = tables;
  const which = and(eq(contacts.tenantId, tenantId), inArray(contacts.id, [...ids]));
  const query = tx.select().from(contacts).where(which).orderBy(asc(contacts.id));
  // On SQLite, there is no other transaction.
  if (isPostgres(contacts)) query.for("update");
  const [kept, ...others] = await query;
  if (kept === undefined) return;
  for (const other of others) {
    const theirs = await tx
      .select()
      .from(conversations)
      .where(and(eq(conversations.tenantId, tenantId), eq(conversations.contactId, other.id)));
    for (const one of theirs) {
      const [same] = await tx
        .select({ id: conversations.id })
        .from(conversations)
        .where(
          and(
            eq(conversations.tenantId, tenantId),
            eq(conversations.accountId, one.accountId),
            eq(conversations.contactId, kept.id),
          ),
        );
      if (same === undefined)
        await tx
          .update(conversations)
          .set({ contactId: kept.id })
          .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, one.id)))
          .returning({ id: conversations.id });
      else await mergeConversations(tx, tables, newId, { tenantId, ids: [same.id, one.id] }, now, kept.id);
    }
    await tx
      .update(contactAddresses)
      .set({ contactId: kept.id })
      .where(and(eq(contactAddresses.tenantId, tenantId), eq(contactAddresses.contactId, other.id)))
      .returning({ value: contactAddresses.value });
    await tx
      .delete(contacts)
      .where(and(eq(contacts.tenantId, tenantId), eq(contacts.id, other.id)))
      .returning({ id: contacts.id });
    await noteMerged(tx, tables, { of: "contact", tenantId, id: other.id, intoId: kept.id, sessionId: null });
  }
  const name = [kept, ...others].find((one) => one.name !== null)?.name;
  if (kept.name === null && name !== undefined)
    await tx
      .update(contacts)
      .set({ name })
      .where(and(eq(contacts.tenantId, tenantId), eq(contacts.id, kept.id)))
      .returning({ id: contacts.id });
}
