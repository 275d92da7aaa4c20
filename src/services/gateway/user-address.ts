import { phoneOf } from "../../channels/inbound/delivered-text.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { AppError } from "../../kit/app-error.ts";

/**
 * Returns a user's address in the channel's own spelling, in which conversations and queues know it. WhatsApp names a phone number by its
 * digits; people also write `+`, spaces, hyphens, dots and parentheses. Other addresses lose the white space around them. Throws 400, with
 * the name of the field, if nothing is left.
 */
export function userAddress(channel: ChannelName, written: string, field: string): string {
  const digits = channel === "phone_messenger" ? phoneDigits(written) : undefined;
  const address = digits ?? written.trim();
  if (address === "") throw new AppError("invalid", "invalid_request", `${field} must not be blank.`);
  return address;
}

/** Returns the digits of a phone number in any spelling; undefined if the text is none. */
export const phoneDigits = (written: string): string | undefined => phoneOf(written)?.slice(1);
