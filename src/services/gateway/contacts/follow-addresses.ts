import { and, eq, or, sql } from "drizzle-orm";
import type { Move, OutboxLedger } from "../../../channels/outbox/settle-messages.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import { type AddressPlace, findAddress, kindOf, leaveAddress, markSpelling } from "./addresses.ts";
import { joinContact } from "./find-contact.ts";
import { moveWaiting } from "./merge-conversations.ts";

/** Lets contacts and their conversations follow what a provider tells of its users' addresses. */
export const createAddressFollower = (
  tables: GatewayTables,
  newId: NewId,
  clock: Pick<Clock, "now">,
): Required<Pick<OutboxLedger, "moved" | "named">> => ({
  async moved(tx, { tenantId, accountId, from, to, at }) {
    const place = await placeOf(tx, tables, tenantId, accountId);
    if (place === undefined) return;
    await movePerson(tx, tables, newId, place, { from, to, at: at ?? clock.now() }, clock.now());
    // Topics of a group have addresses below the group's.
    for (const topic of await topicsOf(tx, tables, place, from)) {
      const moved = { from: topic, to: `${to}${topic.slice(from.length)}`, at: at ?? clock.now() };
      await movePerson(tx, tables, newId, place, moved, clock.now());
    }
  },
  async named(tx, { tenantId, accountId, channel, recipient }, name) {
    if (name === recipient) return;
    const place = { tenantId, accountId, channel };
    const isSpelling = kindOf(channel, recipient) === "phone";
    const named = {
      addresses: [name, recipient] as const,
      ...(isSpelling && { kinds: { [recipient]: "spelling" as const } }),
    };
    const contactId = await joinContact(tx, tables, newId, place, named, clock.now());
    if (!isSpelling) return;
    await markSpelling(tx, tables, place, recipient);
    await renameConversation(tx, tables, place, { contactId, from: recipient, to: name });
  },
});

async function placeOf(
  tx: Query,
  { accounts }: GatewayTables,
  tenantId: string,
  accountId: string,
): Promise<AddressPlace | undefined> {
  const [account] = await tx
    .select({ channel: accounts.channel })
    .from(accounts)
    .where(and(eq(accounts.tenantId, tenantId), eq(accounts.id, accountId)));
  return account && { tenantId, accountId, channel: account.channel };
}

async function movePerson(
  tx: Query,
  tables: GatewayTables,
  newId: NewId,
  place: AddressPlace,
  { from, to, at }: Pick<Move, "from" | "to"> & { at: Date },
  now: Date,
): Promise<void> {
  if ((await findAddress(tx, tables, place, from)) === undefined) return;
  const contactId = await joinContact(tx, tables, newId, place, { addresses: [to, from] }, now);
  // A number may belong to another person later; a group's old id never does.
  if (kindOf(place.channel, from) === "phone") await leaveAddress(tx, tables, place, from, at);
  await renameConversation(tx, tables, place, { contactId, from, to });
}

async function topicsOf(
  tx: Query,
  { contactAddresses }: GatewayTables,
  { tenantId, channel }: AddressPlace,
  group: string,
): Promise<string[]> {
  if (channel !== "bot_messenger") return [];
  const rows = await tx
    .select({ value: contactAddresses.value })
    .from(contactAddresses)
    .where(
      and(
        eq(contactAddresses.tenantId, tenantId),
        eq(contactAddresses.channel, channel),
        // From the slash to the character after it: a range of the index.
        sql`${contactAddresses.value} > ${`${group}/`} and ${contactAddresses.value} < ${`${group}0`}`,
      ),
    );
  return rows.map(({ value }) => value);
}

/** Goes on with a contact's conversations under an address, on all accounts of the tenant for which it is valid. */
async function renameConversation(
  tx: Query,
  tables: GatewayTables,
  { tenantId }: AddressPlace,
  { contactId, from, to }: { contactId: string; from: string; to: string },
): Promise<void> {
  const { conversations } = tables;
  const ofContact = and(eq(conversations.tenantId, tenantId), eq(conversations.contactId, contactId));
  await tx
    .update(conversations)
    .set({ externalUser: to, recipient: null })
    .where(
      and(
        ofContact,
        eq(conversations.externalUser, from),
        or(sql`${conversations.recipient} is null`, eq(conversations.recipient, to)),
      ),
    )
    .returning({ id: conversations.id });
  await tx
    .update(conversations)
    .set({ externalUser: to })
    .where(and(ofContact, eq(conversations.externalUser, from)))
    .returning({ id: conversations.id });
  await tx
    .update(conversations)
    .set({ recipient: to })
    .where(and(ofContact, eq(conversations.recipient, from)))
    .returning({ id: conversations.id });
  for (const conversation of await tx.select().from(conversations).where(ofContact))
    await moveWaiting(tx, tables, conversation);
}
