import { channels } from "../../channels/channel-registry.ts";
import type { Address } from "../../channels/inbound/inbound-event.ts";
import type { ChannelSender } from "../../channels/sending/channel-sender.ts";
import { type ApiFetch, createProviderCall } from "../../channels/sending/provider-call.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { SendingAccount } from "../../services/gateway/outbox/message-sender.ts";
import type { GatewayConfig } from "../settings/gateway-settings.ts";

/** Returns the sender of an account; undefined if no provider transports its messages. */
export type SenderOf = (account: SendingAccount) => ChannelSender | undefined;

interface Parts {
  config: Pick<GatewayConfig, "baseUrls" | "emulate">;
  fetch: ApiFetch;
  clock: Clock;
  log: Logger;
}

/** Returns the senders of real accounts. Messages of emulated accounts and of built-in channels leave by none. */
export function createSenderOf({ config, fetch, clock, log }: Parts): SenderOf {
  const ports = { call: createProviderCall(fetch, clock), log, baseUrls: config.baseUrls };
  return (account) => {
    if (account.emulated || config.emulate.includes(account.externalId)) return undefined;
    return channels.get(account.channel)?.createSender?.(account, ports);
  };
}

/** Address of a recipient, by the form that its channel gives it. A business-scoped id of WhatsApp has a country before its point. */
export function addressOf(channel: ChannelName, recipient: string): Address {
  if (channel !== "phone_messenger") return { kind: "id", address: recipient };
  return { kind: /^[A-Z]{2}\./.test(recipient) ? "bsuid" : "phone", address: recipient };
}
