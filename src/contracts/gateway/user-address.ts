import { phoneDigits } from "../../kit/text/phone-digits.ts";
import type { ChannelName } from "./channels.ts";

/**
 * Returns a user's address in the channel's own spelling, in which conversations and queues know it. WhatsApp names a phone number by its
 * digits; people also write `+`, spaces, hyphens, dots and parentheses. Other addresses lose the white space around them.
 */
export const userAddress = (channel: ChannelName, written: string): string =>
  (channel === "phone_messenger" ? phoneDigits(written) : undefined) ?? written.trim();
