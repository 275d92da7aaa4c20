import { and, eq } from "drizzle-orm";
import type { AddressKind } from "../../../contracts/gateway/contacts.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { NewId } from "../../../kit/id.ts";
import { isPostgres } from "../../../storage/json-rows.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";
import {
  type AddressPlace,
  type AddressRow,
  addAddresses,
  findAddress,
  freeAddress,
  kindOf,
  touchAddress,
} from "./addresses.ts";
import { mergeContacts } from "./merge-contacts.ts";

/** Addresses that the provider names together, and what it calls their person. */
export interface NamedAddresses {
  /** The first is the one that a message came from or goes to. */
  addresses: readonly [string, ...string[]];
  /** Kind of an address, if its form does not tell. */
  kinds?: Readonly<Record<string, AddressKind>>;
  name?: string | undefined;
  /** The provider's time. What was written from an address after its person left it is another person's. */
  at?: Date | undefined;
}

/** Times of addresses are exact to an hour, so that few messages write them. */
const seenWithinMs = 60 * 60_000;
/** Others may add or merge the same addresses at the same time; each round reads them again. */
const roundsMax = 8;

/**
 * Returns the contact of addresses that belong to one person by the provider's word, in the caller's transaction. Unknown addresses are added,
 * and contacts that turn out to be one are merged.
 */
export async function joinContact(
  tx: Query,
  tables: GatewayTables,
  newId: NewId,
  place: AddressPlace,
  { addresses, kinds = {}, name, at }: NamedAddresses,
  now: Date,
): Promise<string> {
  const wanted = [...new Set(addresses)];
  for (let round = 1; round <= roundsMax; round++) {
    const known: AddressRow[] = [];
    for (const value of wanted) {
      const row = await findAddress(tx, tables, place, value);
      if (row === undefined) continue;
      if (row.leftAt !== null && at !== undefined && at > row.leftAt)
        await freeAddress(tx, tables, place, value);
      else known.push(row);
    }
    const unknown = wanted.filter((value) => !known.some((row) => row.value === value));
    const [first] = known;
    const contactIds = [...new Set(known.map(({ contactId }) => contactId))];
    if (first !== undefined && contactIds.length === 1 && unknown.length === 0) {
      for (const { value, seenAt } of known)
        if (now.getTime() - seenAt.getTime() > seenWithinMs)
          await touchAddress(tx, tables, place, value, now);
      return first.contactId;
    }
    if (contactIds.length > 1) {
      await mergeContacts(tx, tables, newId, place.tenantId, contactIds, now);
      continue;
    }
    const contactId = first?.contactId ?? newId();
    const added = {
      contactId,
      addresses: unknown.map((value) => ({ value, kind: kinds[value] ?? kindOf(place.channel, value) })),
    };
    const stored = await addAddresses(tx, tables, place, added, now);
    if (stored.length === 0) continue;
    if (first === undefined) {
      const { tenantId, channel } = place;
      await tx
        .insert(tables.contacts)
        .values({ id: contactId, tenantId, channel, name: name ?? null, createdAt: now });
    }
  }
  throw new AppError("conflict", "transaction_conflict", "The contact changed too often at the same time.");
}

/** Keeps a contact from being merged or forgotten until the transaction ends. Returns false if it was. */
export async function holdContact(
  tx: Query,
  { contacts }: GatewayTables,
  tenantId: string,
  id: string,
): Promise<boolean> {
  const query = tx
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.tenantId, tenantId), eq(contacts.id, id)));
  // On SQLite, there is no other transaction.
  if (isPostgres(contacts)) query.for("share");
  return (await query).length > 0;
}

/** Takes the name that a person gave themselves last. */
export async function nameContact(
  tx: Query,
  { contacts }: GatewayTables,
  tenantId: string,
  id: string | null,
  name: string,
): Promise<void> {
  if (id === null) return;
  await tx
    .update(contacts)
    .set({ name })
    .where(and(eq(contacts.tenantId, tenantId), eq(contacts.id, id)))
    .returning({ id: contacts.id });
}
