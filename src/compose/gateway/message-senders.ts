import { channels } from "../../channels/channel-registry.ts";
import { instagramErrorClass } from "../../channels/instagram/error-classes.ts";
import {
  type OutgoingMessage as ChannelMessage,
  type MessagePart as ChannelPart,
  partsOf,
} from "../../channels/sending/outgoing-message.ts";
import { SendRates } from "../../channels/sending/send-rates.ts";
import { type CallResult, resultOfClass } from "../../channels/sending/send-result.ts";
import { whatsAppErrorClass } from "../../channels/whatsapp/error-classes.ts";
import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { type Clock, sleep } from "../../kit/clock.ts";
import type { EmulatorFault, EmulatorRing } from "../../services/gateway/emulator/emulator-ring.ts";
import type {
  MessageSender,
  OutgoingMessage,
  SendingAccount,
  SendResult,
  TryOutcome,
} from "../../services/gateway/outbox/message-sender.ts";
import { addressOf, type SenderOf } from "./channel-senders.ts";

interface SenderParts {
  senderOf: SenderOf;
  /** Channels whose deliveries reach this gateway, so that receipts and echoes settle unknown outcomes. */
  settled: ReadonlySet<ChannelName>;
  /** Takes the messages of emulated accounts. */
  emulated: EmulatorRing;
  /** Returns the provider's id of the user's message that a message of the outbox answers, if it answers one. */
  answered: (message: { tenantId: string; messageId: string }) => Promise<string | undefined>;
  clock: Clock;
}

/** Longest wait for a provider's rate within a try; a message that must wait longer goes back to the queue and leaves its place. */
const waitMaxMs = 1_000;

/** Label of the button by which a user shares their phone number. */
const contactLabel = "📱 Share my phone number";

/** Sends the outbox's messages through the channels' providers, one call at a time. */
export function createMessageSender(parts: SenderParts): MessageSender {
  const { senderOf, settled, clock } = parts;
  const sends = new SendRates();
  return {
    async send(account, message, part) {
      const sender = senderOf(account);
      if (sender === undefined) return keep(parts, account, message);
      const outgoing = channelMessage(account.channel, message);
      const calls = sender.parts(outgoing);
      const current = calls[part];
      // Everything was accepted before; only the record of it was lost.
      if (current === undefined) return { result: { action: "sent" }, channelMessageId: undefined };
      const rates = channels.get(account.channel)?.limits.ratesOf(current, message.recipient) ?? {};
      const waitMs = sends.reserve(account.id, rates, clock.monotonicMs(), waitMaxMs);
      if (waitMs > waitMaxMs)
        return { result: { action: "paced", waitMs: Math.ceil(waitMs) }, channelMessageId: undefined };
      if (waitMs > 0) await sleep(clock, waitMs);
      const result = await sender.sendPart(outgoing, current);
      return outcomeOf(result, part + 1 < calls.length);
    },
    partsOf: (channel, message) => channelParts(channel, message).map(describePart),
    hasReceipts: (channel) => settled.has(channel),
    resultOfCode(channel, code, details) {
      const error = { code, message: details ?? "" };
      const errorClass =
        channel === "photo_social"
          ? instagramErrorClass(Number(code), undefined)
          : whatsAppErrorClass(Number(code), details);
      return resultOf(resultOfClass(errorClass ?? "final", error));
    },
  };
}

function channelMessage(channel: ChannelName, message: OutgoingMessage): ChannelMessage {
  const { recipient, token, text, media, template, asksContact } = message;
  return {
    to: addressOf(channel, recipient),
    token,
    ...(text !== undefined && { text }),
    ...(media !== undefined && {
      media: {
        kind: media.kind,
        url: media.url,
        ...(media.mime_type !== undefined && { mimeType: media.mime_type }),
        ...(media.caption !== undefined && { caption: media.caption }),
      },
    }),
    ...(template !== undefined && { template: { ...template, params: template.params ?? [] } }),
    ...(asksContact === true && channel === "bot_messenger" && { contactButton: contactLabel }),
  };
}

function channelParts(channel: ChannelName, message: OutgoingMessage): ChannelPart[] {
  const limits = channels.get(channel)?.limits;
  return limits === undefined ? [] : partsOf(channelMessage(channel, message), limits);
}

function describePart(part: ChannelPart) {
  switch (part.kind) {
    case "template":
      return { text: undefined, hasMedia: false };
    case "text":
      return { text: part.text, hasMedia: false };
    case "media":
      return { text: part.media.caption, hasMedia: true };
  }
}

/** Codes by which providers refuse free text when the user wrote too long ago. The other channels take it at any time. */
const windowCodes: Partial<Record<ChannelName, string>> = {
  phone_messenger: "131047",
  photo_social: "10/2534022",
};

/** Returns the answer of an emulated provider that fails. */
function emulatedFault(fault: EmulatorFault, channel: ChannelName): SendResult {
  switch (fault) {
    case "429":
      return {
        action: "retry",
        code: "429",
        message: "Emulated limit.",
        waitMs: 5_000,
        isAccountWide: true,
      };
    case "closed-window":
      return {
        action: "final",
        code: windowCodes[channel] ?? "closed_window",
        message: "Emulated: the user wrote more than 24 hours ago.",
      };
  }
}

async function keep(
  { emulated, answered, clock }: SenderParts,
  { id, tenantId, channel, externalId }: SendingAccount,
  { token, recipient, trace: _, ...content }: OutgoingMessage,
): Promise<TryOutcome> {
  const fault = await emulated.takeFault(id, () => answered({ tenantId, messageId: token }));
  if (fault !== undefined) return { result: emulatedFault(fault, channel), channelMessageId: undefined };
  emulated.add({ at: clock.now(), channel, account: externalId, recipient, content });
  return { result: { action: "sent" }, channelMessageId: `${channel}.${token}` };
}

function outcomeOf(result: CallResult, hasMore: boolean): TryOutcome {
  if (result.outcome !== "accepted") return { result: resultOf(result), channelMessageId: undefined };
  return {
    result: { action: hasMore ? "continue" : "sent" },
    channelMessageId: result.providerId,
    ...(result.movedTo !== undefined && { movedTo: result.movedTo.address }),
  };
}

function resultOf(result: CallResult): SendResult {
  if (result.outcome === "accepted") return { action: "sent" };
  const { code } = result;
  const message = result.message === "" ? undefined : result.message;
  switch (result.outcome) {
    case "retry":
      return {
        action: "retry",
        code,
        message,
        waitMs: result.afterMs,
        triesMax: result.retriesMax === undefined ? undefined : result.retriesMax + 1,
        isAccountWide: result.scope === "account",
        alerts: result.alerts,
      };
    default:
      return { action: result.outcome, code, message };
  }
}
