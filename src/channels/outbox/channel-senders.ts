import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { SenderPorts } from "../channel.ts";
import { channels } from "../channel-registry.ts";
import type { Address } from "../inbound/inbound-event.ts";
import type { ChannelSender } from "../sending/channel-sender.ts";
import { type ApiFetch, createProviderCall } from "../sending/provider-call.ts";
import type { OutboxAccount } from "./message-sender.ts";

/** Returns the sender of an account; undefined if no provider transports its messages. */
export type SenderOf = (account: OutboxAccount) => ChannelSender | undefined;

interface Parts {
  baseUrls: SenderPorts["baseUrls"];
  /** External ids of accounts that are emulated. */
  emulate?: readonly string[];
  fetch: ApiFetch;
  clock: Clock;
  log: Logger;
}

/** Returns the senders of real accounts. Messages of emulated accounts and of built-in channels leave by none. */
export function createSenderOf({ baseUrls, emulate = [], fetch, clock, log }: Parts): SenderOf {
  const ports = { call: createProviderCall(fetch, clock), log, baseUrls };
  return (account) => {
    if (account.emulated || emulate.includes(account.externalId)) return undefined;
    return channels.get(account.channel)?.createSender?.(account, ports);
  };
}

/** Address of a recipient, by the form that its channel gives it. WhatsApp's id of a person has a country before its point, that of a group no number's form. */
export function addressOf(channel: ChannelName, recipient: string): Address {
  if (channel !== "phone_messenger") return { kind: "id", address: recipient };
  const isPerson = /^[A-Z]{2}\./.test(recipient);
  return { kind: isPerson ? "bsuid" : /^\+?\d+$/.test(recipient) ? "phone" : "group", address: recipient };
}
