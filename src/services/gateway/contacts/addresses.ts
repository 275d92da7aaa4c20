import { and, eq, inArray, sql } from "drizzle-orm";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { AddressKind } from "../../../contracts/gateway/contacts.ts";
import { equalsBound, statement } from "../../../storage/statement.ts";
import type { Query, ReadQuery } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";

/** Account, tenant and channel that addresses are of. */
export interface AddressPlace {
  tenantId: string;
  channel: ChannelName;
  accountId: string;
}

export type AddressRow = GatewayTables["contactAddresses"]["$inferSelect"];

/** Channels whose addresses mean the same user on each of a tenant's accounts. */
const shared: ReadonlySet<ChannelName> = new Set(["phone_messenger", "bot_messenger"]);

/** Accounts for which an address is valid: all of the channel, or the one that gave it. */
export const scopeOf = ({ channel, accountId }: AddressPlace): string =>
  shared.has(channel) ? "" : accountId;

/** Kind of an address by its form. */
export function kindOf(channel: ChannelName, value: string): AddressKind {
  if (channel === "bot_messenger") return "chat";
  if (channel === "photo_social") return "scoped";
  if (channel !== "phone_messenger") return "visitor";
  return /^\+?\d+$/.test(value) ? "phone" : "bsuid";
}

/** Returns what is known of an address. */
export async function findAddress(
  query: ReadQuery,
  tables: GatewayTables,
  place: AddressPlace,
  value: string,
): Promise<AddressRow | undefined> {
  const { tenantId, channel } = place;
  const [row] = await oneAddress(query, tables).execute({ tenantId, channel, scope: scopeOf(place), value });
  return row;
}

const oneAddress = statement((query: ReadQuery, { contactAddresses }: GatewayTables) =>
  query
    .select()
    .from(contactAddresses)
    .where(
      and(
        equalsBound(contactAddresses.tenantId, "tenantId"),
        equalsBound(contactAddresses.channel, "channel"),
        equalsBound(contactAddresses.scope, "scope"),
        equalsBound(contactAddresses.value, "value"),
      ),
    )
    .prepare("contact_address"),
);

const isAddress = ({ contactAddresses }: GatewayTables, place: AddressPlace, values: readonly string[]) =>
  and(
    eq(contactAddresses.tenantId, place.tenantId),
    eq(contactAddresses.channel, place.channel),
    eq(contactAddresses.scope, scopeOf(place)),
    inArray(contactAddresses.value, [...values]),
  );

/** Adds addresses of a contact that no contact has. Returns those that were added. */
export async function addAddresses(
  tx: Query,
  { contactAddresses }: GatewayTables,
  place: AddressPlace,
  added: { contactId: string; addresses: readonly { kind: AddressKind; value: string }[] },
  seenAt: Date,
): Promise<string[]> {
  const { tenantId, channel } = place;
  const rows = added.addresses.map(({ kind, value }) => ({
    tenantId,
    channel,
    scope: scopeOf(place),
    value,
    kind,
    contactId: added.contactId,
    seenAt,
    leftAt: null,
  }));
  const stored = await tx
    .insert(contactAddresses)
    .values(rows)
    .onConflictDoNothing()
    .returning({ value: contactAddresses.value });
  return stored.map(({ value }) => value);
}

/** Notes that an address was seen. */
export async function touchAddress(
  tx: Query,
  tables: GatewayTables,
  place: AddressPlace,
  value: string,
  seenAt: Date,
): Promise<void> {
  const { contactAddresses } = tables;
  await tx
    .update(contactAddresses)
    .set({ seenAt })
    .where(isAddress(tables, place, [value]))
    .returning({ value: contactAddresses.value });
}

/** Notes that a person has another address than this one from a time on. */
export async function leaveAddress(
  tx: Query,
  tables: GatewayTables,
  place: AddressPlace,
  value: string,
  leftAt: Date,
): Promise<void> {
  const { contactAddresses } = tables;
  await tx
    .update(contactAddresses)
    .set({ leftAt })
    .where(isAddress(tables, place, [value]))
    .returning({ value: contactAddresses.value });
}

/** Frees an address that its person left, because somebody else writes from it. */
export async function freeAddress(
  tx: Query,
  tables: GatewayTables,
  place: AddressPlace,
  value: string,
): Promise<void> {
  const { contactAddresses } = tables;
  await tx
    .delete(contactAddresses)
    .where(and(isAddress(tables, place, [value]), sql`${contactAddresses.leftAt} is not null`))
    .returning({ value: contactAddresses.value });
}

/** Notes that an address is only how a sender spelled another. */
export async function markSpelling(
  tx: Query,
  tables: GatewayTables,
  place: AddressPlace,
  value: string,
): Promise<void> {
  const { contactAddresses } = tables;
  await tx
    .update(contactAddresses)
    .set({ kind: "spelling" })
    .where(isAddress(tables, place, [value]))
    .returning({ value: contactAddresses.value });
}
