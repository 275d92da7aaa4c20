import { and, eq, or } from "drizzle-orm";
import { searchedDigits } from "../../../kit/text/phone-digits.ts";
import { containsText } from "../../../storage/contains-text.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { GatewayTables } from "../tables.ts";

/** Ids of the contacts of a tenant, or of all, with an address that contains a text, or a number in any spelling. */
export function contactsAt(
  query: ReadQuery,
  { contactAddresses }: GatewayTables,
  tenant: string | undefined,
  q: string,
) {
  const { contactId, tenantId, value } = contactAddresses;
  const digits = searchedDigits(q);
  const isFound = or(containsText(value, q), digits === undefined ? undefined : containsText(value, digits));
  return query
    .select({ contactId })
    .from(contactAddresses)
    .where(and(tenant === undefined ? undefined : eq(tenantId, tenant), isFound));
}
