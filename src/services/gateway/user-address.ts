import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { userAddress } from "../../contracts/gateway/user-address.ts";
import { AppError } from "../../kit/app-error.ts";

/** Returns the address in a field of a request in the channel's own spelling. Throws 400 if it is blank. */
export function requireUserAddress(channel: ChannelName, written: string, field: string): string {
  const address = userAddress(channel, written);
  if (address === "") throw new AppError("invalid", "invalid_request", `${field} must not be blank.`);
  return address;
}
