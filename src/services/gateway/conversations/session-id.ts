import { createHash } from "node:crypto";
import type { AddressPlace } from "../contacts/addresses.ts";

const sessionCharsMax = 255;

/** Session of a conversation: channel, account and user. A user's address that is too long for it is replaced by its digest. */
export function sessionIdOf(
  { channel, accountId }: Pick<AddressPlace, "channel" | "accountId">,
  user: string,
): string {
  const id = `${channel}__${accountId}__${user}`;
  if (id.length <= sessionCharsMax) return id;
  return `${channel}__${accountId}__${createHash("sha256").update(user).digest("hex")}`;
}
