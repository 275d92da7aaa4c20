import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { type Clock, sleep } from "../../kit/clock.ts";
import { channels } from "../channel-registry.ts";
import { instagramErrorClass } from "../instagram/error-classes.ts";
import {
  type OutgoingMessage as ChannelMessage,
  type MessagePart as ChannelPart,
  partsOf,
} from "../sending/outgoing-message.ts";
import { SendRates } from "../sending/send-rates.ts";
import { type CallResult, resultOfClass } from "../sending/send-result.ts";
import { whatsAppErrorClass } from "../whatsapp/error-classes.ts";
import { addressOf, type SenderOf } from "./channel-senders.ts";
import type { MessageSender, OutboxMessage, SendResult, TryOutcome } from "./message-sender.ts";

export interface ProviderSenderParts {
  senderOf: SenderOf;
  /** Channels whose deliveries reach this service, so that receipts and echoes settle unknown outcomes. */
  settled: ReadonlySet<ChannelName>;
  clock: Clock;
  /** Reads uploaded files; undefined if there are none. */
  files?: FileReader;
}

/** Returns the bytes of a tenant's uploaded file; undefined if it is no longer kept. */
export type FileReader = (tenantId: string, fileId: string) => Promise<Blob | undefined>;

/** Longest wait for a provider's rate within a try; a message that must wait longer goes back to the queue and leaves its place. */
const waitMaxMs = 1_000;

/** Label of the button by which a user shares their phone number. */
const contactLabel = "📱 Share my phone number";

/** Sends the outbox's messages through the channels' providers, one call at a time. */
export function createProviderSender(parts: ProviderSenderParts): MessageSender {
  const { senderOf, settled, clock } = parts;
  const sends = new SendRates();
  return {
    async send(account, message, part) {
      const sender = senderOf(account);
      if (sender === undefined) throw new Error(`No provider transports messages of ${account.channel}.`);
      const outgoing = withFile(
        channelMessage(account.channel, message),
        account.tenantId,
        message,
        parts.files,
      );
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

function channelMessage(channel: ChannelName, message: OutboxMessage): ChannelMessage {
  const { recipient, token, text, html, media, template, asksContact } = message;
  return {
    to: addressOf(channel, recipient),
    token,
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    ...(media !== undefined && {
      media: {
        kind: media.kind,
        ...(media.url !== undefined && { url: media.url }),
        ...(media.filename !== undefined && { fileName: media.filename }),
        ...(media.mime_type !== undefined && { mimeType: media.mime_type }),
        ...(media.caption !== undefined && { caption: media.caption }),
      },
    }),
    ...(template !== undefined && { template: { ...template, params: template.params ?? [] } }),
    ...(asksContact === true && channel === "bot_messenger" && { contactButton: contactLabel }),
  };
}

/** Lets the sender read the file that it uploads. */
function withFile(
  outgoing: ChannelMessage,
  tenantId: string,
  { media }: OutboxMessage,
  files: FileReader | undefined,
): ChannelMessage {
  if (outgoing.media === undefined || media?.id === undefined || media.url !== undefined) return outgoing;
  const { id } = media;
  return { ...outgoing, media: { ...outgoing.media, read: async () => files?.(tenantId, id) } };
}

function channelParts(channel: ChannelName, message: OutboxMessage): ChannelPart[] {
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

function outcomeOf(result: CallResult, hasMore: boolean): TryOutcome {
  if (result.outcome !== "accepted") return { result: resultOf(result), channelMessageId: undefined };
  return {
    result: { action: hasMore ? "continue" : "sent" },
    channelMessageId: result.providerId,
    ...(result.movedTo !== undefined && { movedTo: result.movedTo.address }),
    ...(result.namedAs !== undefined && { namedAs: result.namedAs }),
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
