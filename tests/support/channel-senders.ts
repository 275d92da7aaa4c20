import { channels } from "../../src/channels/channel-registry.ts";
import type { ChannelSender } from "../../src/channels/sending/channel-sender.ts";
import { createProviderCall } from "../../src/channels/sending/provider-call.ts";
import { type Clock, systemClock } from "../../src/kit/clock.ts";
import { type ProviderChannel, type ProviderStandIn, startProviderStandIn } from "./provider-stand-in.ts";
import type { LoggedEvent } from "./recording-logger.ts";
import { recordingLogger } from "./recording-logger.ts";

/** Accounts of the stand-in, one a channel. */
export const standInAccounts = [
  { channel: "phone_messenger", account: "PNID1", token: "EAAB-phone-token-0123456789" },
  { channel: "bot_messenger", account: "4242", token: "4242:AAbot-token-0123456789abcdefghijkl" },
  { channel: "photo_social", account: "IGID1", token: "EAAB-photo-token-0123456789" },
] as const;

export interface SenderWorld extends AsyncDisposable {
  provider: ProviderStandIn;
  logged: LoggedEvent[];
  /** Sender of the channel's account, or of one with another token. */
  sender(channel: ProviderChannel, options?: { token?: string; clock?: Clock; base?: string }): ChannelSender;
}

/** Starts the stand-in providers, and makes senders to them. */
export async function startSenders(): Promise<SenderWorld> {
  const provider = await startProviderStandIn(standInAccounts);
  const { log, logged } = recordingLogger();
  return {
    provider,
    logged,
    sender(channel, { token, clock = systemClock, base } = {}) {
      const account = standInAccounts.find((one) => one.channel === channel);
      const create = channels.get(channel)?.createSender;
      if (account === undefined || create === undefined) throw new Error(`${channel} sends nothing`);
      const name = channel === "bot_messenger" ? "bot_token" : "access_token";
      const baseUrls = base === undefined ? provider.baseUrls : { graph: base, instagram: base, bot: base };
      return create(
        { externalId: account.account, credentials: { [name]: token ?? account.token } },
        { call: createProviderCall(fetch, clock), log, baseUrls },
      );
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}
