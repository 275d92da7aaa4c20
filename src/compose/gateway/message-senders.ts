import type { MessageApi, SendOutcome } from "../../channels/sending/message-api.ts";
import { outcomeOfCode } from "../../channels/whatsapp/send-outcome.ts";
import { createWhatsAppApi } from "../../channels/whatsapp/whatsapp-api.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { Clock } from "../../kit/clock.ts";
import type { EmulatorRing } from "../../services/gateway/emulator/emulator-ring.ts";
import type {
  MessageSender,
  OutgoingMessage,
  SendingAccount,
  SendResult,
} from "../../services/gateway/outbox/message-sender.ts";
import { providerFetch } from "../provider-fetch.ts";
import type { GatewayConfig } from "../settings/gateway-settings.ts";

interface SenderParts {
  config: GatewayConfig;
  /** Takes the messages of emulated accounts. */
  emulated: EmulatorRing;
  clock: Clock;
}

/** Waits by the provider's error code. They are its limits, so waiting for them is no failed try. */
const waitsMs: Readonly<Record<string, number>> = {
  4: 120_000,
  80007: 120_000,
  131057: 120_000,
  613: 120_000,
  130429: 6_000,
  131056: 6_000,
  131048: 3_600_000,
};

/** Tries by the provider's error code, where it allows fewer than usual. */
const triesMax: Readonly<Record<string, number>> = { 1: 3, 131000: 3, 131053: 3 };

/** Sends the outbox's messages through the channels' providers. */
export function createMessageSender({ config, emulated, clock }: SenderParts): MessageSender {
  return {
    async send(account, message, partsDone) {
      const api = account.emulated ? undefined : apiOf(account, config, clock);
      const result = api === undefined ? keep(emulated, clock, account, message) : await sendBy(api, message);
      const isSent = result.action === "sent";
      return {
        result,
        partsDone: isSent ? 1 : partsDone,
        channelMessageId: isSent && api === undefined ? `${account.channel}.${message.token}` : undefined,
      };
    },
    hasReceipts: (channel) => channel === "phone_messenger",
    resultOfCode: (_channel, code) => {
      const outcome = outcomeOfCode(Number(code));
      return outcome === undefined ? { action: "final", code } : resultOf(outcome);
    },
  };
}

/** Undefined for channels whose messages no provider transports. */
function apiOf(
  { channel, externalId, credentials }: SendingAccount,
  { graphBaseUrl }: GatewayConfig,
  clock: Clock,
): MessageApi | undefined {
  if (channel === "webchat" || channel === "echo") return undefined;
  if (channel !== "phone_messenger") return noApi(channel);
  return createWhatsAppApi(
    { apiBaseUrl: graphBaseUrl, phoneNumberId: externalId, accessToken: credentials.access_token ?? "" },
    providerFetch,
    clock,
  );
}

/** A channel that this version can't send on refuses each message. */
const noApi = (channel: ChannelName): MessageApi => ({
  textCharsMax: 4096,
  sendText: async () => ({ action: "final", code: `no_sender_for_${channel}` }),
  outcomeOfCode: () => undefined,
});

async function sendBy(
  api: MessageApi,
  { text, media, template, recipient, token }: OutgoingMessage,
): Promise<SendResult> {
  if (text === undefined || media !== undefined || template !== undefined) {
    return { action: "final", code: "only_text_is_sent" };
  }
  // A business-scoped id has a country before its point; a phone number has digits only.
  const kind = /^[A-Z]{2}\./.test(recipient) ? "bsuid" : "phone";
  return resultOf(await api.sendText({ recipient: { kind, address: recipient }, text, token }));
}

function keep(
  emulated: EmulatorRing,
  clock: Clock,
  { channel, externalId }: SendingAccount,
  { token, recipient, ...content }: OutgoingMessage,
): SendResult {
  emulated.add({ at: clock.now(), channel, account: externalId, recipient, content });
  return { action: "sent" };
}

function resultOf(outcome: SendOutcome): SendResult {
  switch (outcome.action) {
    case "sent":
      return { action: "sent" };
    case "final":
      return outcome;
    case "account":
      return { action: "pause", code: outcome.code };
    case "ambiguous":
      return { action: "unknown", code: outcome.code };
    case "late":
      return {
        action: "retry",
        code: outcome.code,
        waitMs: waitsMs[outcome.code] ?? waitsMs[131048],
        isAccountWide: true,
      };
    case "retry":
      return {
        action: "retry",
        code: outcome.code,
        waitMs: outcome.retryAfterMs ?? waitsMs[outcome.code],
        triesMax: triesMax[outcome.code],
        isAccountWide: outcome.isAccountWide,
      };
  }
}
