import { or } from "drizzle-orm";
import { searchedDigits } from "../../../kit/text/phone-digits.ts";
import { containsText } from "../../../storage/contains-text.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";

/** Ids of the contacts with an address that contains a text, or a number in any spelling. */
export function contactsAt(query: ReadQuery, { contactAddresses }: GatewayTables, q: string) {
  const { contactId, value } = contactAddresses;
  const digits = searchedDigits(q);
  return query
    .select({ contactId })
    .from(contactAddresses)
    .where(or(containsText(value, q), digits === undefined ? undefined : containsText(value, digits)));
}
