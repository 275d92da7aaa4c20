import type { TObject } from "@sinclair/typebox";
import type { ChannelName } from "../contracts/gateway/channels.ts";
import type { Work } from "../kit/concurrency/others-turn.ts";
import type { Logger } from "../kit/log.ts";
import type { DeliveryReading } from "./inbound/inbound-event.ts";
import type { ChannelSender } from "./sending/channel-sender.ts";
import type { OutgoingLimits } from "./sending/outgoing-message.ts";
import type { ProviderCall } from "./sending/provider-call.ts";

/** A delivery as it arrived, before anything of it is parsed. */
export interface RawDelivery {
  headers: Headers;
  body: Uint8Array;
  /** External id of the account that the address names; undefined if it names none. */
  account: string | undefined;
}

/** `hmac-sha256`: the provider signs the body; `secret-token`: it sends a secret; `none`: anyone may deliver. */
export type DeliveryProof = "hmac-sha256" | "secret-token" | "none";

/** Webhook of a channel. */
export interface ChannelWebhook {
  /** True if deliveries name their account; otherwise the webhook's address does. */
  namesAccount: boolean;
  /**
   * Returns the text that answers the provider's handshake, or undefined for `{status: ok}`. Throws `forbidden` for a wrong verify token
   * and `invalid` for a wrong challenge.
   */
  handshake(query: URLSearchParams, verifyToken: string | undefined): string | undefined;
  /** How a delivery proves who sent it. */
  proof: DeliveryProof;
  /** Checks the signature over the raw bytes, in constant time. An undefined or empty secret matches nothing. */
  isGenuine(delivery: RawDelivery, secret: string | undefined): boolean;
  /** Reads a delivery in pieces; `account` is the one that the address names. Never throws. */
  read(body: Uint8Array, account: string): Work<DeliveryReading>;
}

/** Account from which messages are sent, with its credentials unsealed. */
export interface SendingAccount {
  externalId: string;
  credentials: Readonly<Record<string, string>>;
}

export interface SenderPorts {
  call: ProviderCall;
  log: Logger;
  /** Addresses of the providers' APIs, without a slash at the end; those of Meta include the version. */
  baseUrls: { graph: string; instagram: string; bot: string };
}

/** Messaging channel. */
export interface Channel {
  name: ChannelName;
  /** Schema of an account's credentials. */
  credentials: TObject;
  webhook: ChannelWebhook;
  limits: OutgoingLimits;
  /** Undefined for channels whose messages no provider transports. */
  createSender: ((account: SendingAccount, ports: SenderPorts) => ChannelSender) | undefined;
}
