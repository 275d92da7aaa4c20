import { and, desc, eq, inArray, or, type SQL } from "drizzle-orm";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { Contact, ContactPage } from "../../../contracts/gateway/contacts.ts";
import { AppError } from "../../../kit/app-error.ts";
import { containsText } from "../../../storage/contains-text.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { DeskActor } from "../auth/desk-credential.ts";
import { newestNotes, readDesks } from "../desk/store.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import { contactsAt } from "./contacts-at.ts";
import { currentId } from "./merged-ids.ts";

export type ContactRow = GatewayTables["contacts"]["$inferSelect"];

export interface ContactFilter {
  tenant?: string | undefined;
  channel?: ChannelName | undefined;
  /** Part of a name or an address; a number in any spelling. */
  q?: string | undefined;
  limit: number;
  offset: number;
}

/** Lists contacts, the newest first. Without `tenant`, those of all tenants: for operators only. */
export async function listContacts(
  { read, tables }: GatewayStorage,
  { tenant, channel, q, limit, offset }: ContactFilter,
): Promise<ContactPage> {
  const { contacts } = tables;
  const isWanted = and(
    tenant === undefined ? undefined : eq(contacts.tenantId, tenant),
    channel === undefined ? undefined : eq(contacts.channel, channel),
    q === undefined || q === "" ? undefined : isNamed(read, tables, tenant, q),
  );
  const rows = await read
    .select()
    .from(contacts)
    .where(isWanted)
    .orderBy(desc(contacts.id))
    .limit(limit)
    .offset(offset);
  const total = await read.$count(contacts, isWanted);
  return { contacts: await present(read, tables, rows), total, limit, offset };
}

/** Returns a contact that the desk may see. Throws 404. */
export async function getContact(
  { read, tables }: GatewayStorage,
  desk: DeskActor,
  id: string,
): Promise<Contact> {
  const [contact] = await present(read, tables, [await getDeskContact(read, tables, desk, id)]);
  if (contact === undefined) throw noContact(id);
  return contact;
}

/** Returns a contact that the desk may see, or the one that it became part of. Throws 404. */
export async function getDeskContact(
  query: ReadQuery,
  tables: GatewayTables,
  { tenantId }: Pick<DeskActor, "tenantId">,
  id: string,
): Promise<ContactRow> {
  const { contacts } = tables;
  const find = (wanted: string) =>
    query
      .select()
      .from(contacts)
      .where(
        and(eq(contacts.id, wanted), tenantId === undefined ? undefined : eq(contacts.tenantId, tenantId)),
      );
  const [row] = await find(id);
  const [found] = row === undefined ? await find(await currentId(query, tables, "contact", id)) : [row];
  if (found === undefined) throw noContact(id);
  return found;
}

export const noContact = (id: string) => new AppError("not_found", "not_found", `There is no contact ${id}.`);

function isNamed(
  query: ReadQuery,
  tables: GatewayTables,
  tenant: string | undefined,
  q: string,
): SQL | undefined {
  const { contacts } = tables;
  return or(containsText(contacts.name, q), inArray(contacts.id, contactsAt(query, tables, tenant, q)));
}

async function present(
  query: ReadQuery,
  tables: GatewayTables,
  rows: readonly ContactRow[],
): Promise<Contact[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const { contactAddresses, conversations } = tables;
  const addresses = await query
    .select()
    .from(contactAddresses)
    .where(inArray(contactAddresses.contactId, ids))
    .orderBy(desc(contactAddresses.seenAt), contactAddresses.value);
  const talks = await query
    .select({ id: conversations.id, contactId: conversations.contactId })
    .from(conversations)
    .where(inArray(conversations.contactId, ids))
    .orderBy(conversations.id);
  const talkIds = talks.map(({ id }) => id);
  const desks = await readDesks(query, tables, talkIds);
  const notes = await newestNotes(query, tables, talkIds);
  return rows.map(({ id, tenantId, channel, name, createdAt }) => {
    const own = talks.filter(({ contactId }) => contactId === id).map((talk) => talk.id);
    return {
      id,
      tenant_id: tenantId,
      channel,
      name,
      addresses: addresses
        .filter(({ contactId }) => contactId === id)
        .map(({ kind, value, seenAt }) => ({ kind, value, seen_at: seenAt.toISOString() })),
      notes: notes.filter((note) => own.includes(note.conversation_id)).slice(-notesMax),
      labels: [...new Set(own.flatMap((talk) => desks.get(talk)?.labels ?? []))],
      conversations: own,
      created_at: createdAt.toISOString(),
    };
  });
}

const notesMax = 50;
