import type { Logger } from "../../kit/log.ts";
import { addressOf, idOf } from "../inbound/delivered-text.ts";
import type { Address } from "../inbound/inbound-event.ts";
import { fieldOf, textOf } from "../json-fields.ts";
import type { ChannelSender } from "../sending/channel-sender.ts";
import {
  type MediaKind,
  type MessagePart,
  type OutgoingLimits,
  type OutgoingMessage,
  partsOf,
} from "../sending/outgoing-message.ts";
import type { ProviderCall, SendAnswer } from "../sending/provider-call.ts";
import {
  type CallResult,
  fileGone,
  noTemplates,
  parsedAnswer,
  resultOfClass,
  resultOfFault,
  safeMessage,
} from "../sending/send-result.ts";
import { telegramErrorClass } from "./error-classes.ts";
import { chatOf, targetOf } from "./topic-address.ts";

const mebibyte = 1024 * 1024;

export const telegramLimits: OutgoingLimits = {
  text: { max: 4096, unit: "units" },
  captionMax: 1024,
  captionKinds: ["image", "audio", "video", "document"],
  mediaBytesMax: {
    image: 10 * mebibyte,
    audio: 50 * mebibyte,
    video: 50 * mebibyte,
    document: 50 * mebibyte,
  },
  hasTemplates: false,
  hasContactButton: true,
  windowMs: undefined,
  // The FAQ's figures; a group has a negative id.
  ratesOf: (_, recipient) => ({
    account: { perSecond: 30, burst: 30 },
    [`to ${chatOf(recipient)}`]: recipient.startsWith("-")
      ? { perSecond: 20 / 60, burst: 20 }
      : { perSecond: 1, burst: 5 },
  }),
};

export interface TelegramAccount {
  /** Address of the Bot API; has no slash at the end. */
  apiBaseUrl: string;
  botToken: string;
}

/** Kinds of updates that `readTelegramDelivery` reads. */
const allowedUpdates = ["message", "edited_message", "callback_query", "my_chat_member", "message_reaction"];

const methods: Record<MediaKind, { method: string; field: string }> = {
  image: { method: "sendPhoto", field: "photo" },
  audio: { method: "sendAudio", field: "audio" },
  video: { method: "sendVideo", field: "video" },
  document: { method: "sendDocument", field: "document" },
};

/** A failed call that may succeed once more when it is changed. */
type Judged = CallResult | { change: "plain" } | { change: "moved"; to: Address };

/** Sends by `POST {base}/bot{token}/{method}`. The token is part of the address, so no error text may contain the address. */
export function createTelegramSender(
  { apiBaseUrl, botToken }: TelegramAccount,
  call: ProviderCall,
  log: Logger,
): ChannelSender {
  const base = `${apiBaseUrl}/bot${encodeURIComponent(botToken).replaceAll("%3A", ":")}`;
  const judge = (answer: SendAnswer, createsMessage: boolean): Judged =>
    judgeAnswer(answer, { createsMessage, secret: botToken, log });
  const post = async (method: string, body: object, createsMessage = false) =>
    judge(await call(`${base}/${method}`, {}, body, { mayRepeat: !createsMessage }), createsMessage);
  const mark = async (method: string, body: object) => unchanged(await post(method, body));

  return {
    parts: (message) => partsOf(message, telegramLimits),
    async sendPart(message, part) {
      if (part.kind === "template") return noTemplates;
      const file = part.kind === "media" ? await part.media.read?.() : undefined;
      if (part.kind === "media" && part.media.read !== undefined && file === undefined) return fileGone;
      const first = await post(...callOf(message, part, file), true);
      if (!("change" in first)) return first;
      if (first.change === "plain") {
        if (part.kind !== "text" || part.html === undefined) return unchanged(first);
        const { html: _, ...plain } = part;
        return unchanged(await post(...callOf(message, plain), true));
      }
      const second = unchanged(await post(...callOf({ ...message, to: first.to }, part, file), true));
      return second.outcome === "accepted" ? { ...second, movedTo: first.to } : second;
    },
    showTyping: (to) => mark("sendChatAction", { ...targetOf(to), action: "typing" }),
    async ownName() {
      const answer = await call(`${base}/getMe`, {}, {}, { mayRepeat: true });
      return "fault" in answer ? undefined : textOf(fieldOf(parsedAnswer(answer.body), "result"), "username");
    },
    answerButton: (callbackId) => mark("answerCallbackQuery", { callback_query_id: callbackId }),
    registerWebhook: (url, secret) =>
      mark("setWebhook", { url, secret_token: secret, allowed_updates: allowedUpdates }),
  };
}

/** Returns the method and body that send a part. */
function callOf(
  message: OutgoingMessage,
  part: Exclude<MessagePart, { kind: "template" }>,
  file?: Blob,
): [method: string, body: object] {
  const common = {
    ...targetOf(message.to),
    ...replyOf(message, part),
  };
  if (part.kind === "text") {
    const { text, html } = part;
    const written = html === undefined ? { text } : { text: html, parse_mode: "HTML" };
    return ["sendMessage", { ...common, ...written, ...contactButtonOf(part.contactButton) }];
  }
  const { kind, url, caption, fileName = "file" } = part.media;
  const { method, field } = methods[kind];
  const fields = { ...common, ...(caption === undefined ? {} : { caption }) };
  if (file === undefined) return [method, { ...fields, [field]: url }];
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    form.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  form.set(field, file, fileName);
  return [method, form];
}

function replyOf({ replyTo }: OutgoingMessage, { index }: MessagePart): object {
  if (replyTo === undefined || index > 0 || !/^\d{1,15}$/.test(replyTo)) return {};
  // The message may have been deleted in the meantime.
  return { reply_parameters: { message_id: Number(replyTo), allow_sending_without_reply: true } };
}

function contactButtonOf(label: string | undefined): object {
  if (label === undefined) return {};
  const keyboard = [[{ text: label, request_contact: true }]];
  return { reply_markup: { keyboard, one_time_keyboard: true, resize_keyboard: true } };
}

interface JudgePorts {
  /** True if the call creates a message, whose id the answer must contain. */
  createsMessage: boolean;
  secret: string;
  log: Logger;
}

function judgeAnswer(answer: SendAnswer, { createsMessage, secret, log }: JudgePorts): Judged {
  if ("fault" in answer) return resultOfFault(answer.fault);
  const document = parsedAnswer(answer.body);
  const isOk = fieldOf(document, "ok");
  const ownCode = fieldOf(document, "error_code");
  const code = typeof ownCode === "number" && isOk === false ? ownCode : answer.status;
  if (code >= 200 && code <= 299) {
    const providerId = idOf(fieldOf(document, "result"), "message_id");
    if (isOk === true && (!createsMessage || providerId !== undefined)) {
      return { outcome: "accepted", providerId };
    }
    const isRefused = isOk === false;
    const error = { code: `http_${code}`, message: "The provider's answer has no message id." };
    return resultOfClass(isRefused ? "final" : "unknown", error);
  }
  const description = textOf(document, "description") ?? "";
  const parameters = fieldOf(document, "parameters");
  const to = addressOf("id", idOf(parameters, "migrate_to_chat_id"));
  if (code === 400 && to !== undefined) return { change: "moved", to };
  const errorClass = telegramErrorClass(code, description);
  if (errorClass === "plain") return { change: "plain" };
  if (errorClass === "ignored") return { outcome: "accepted", providerId: undefined };
  const message = safeMessage(description, secret);
  if (errorClass === undefined) {
    log.warn("channel.unknown_error", { channel: "bot_messenger", code, reason: message });
  }
  const error = { code: String(code), message: message || `The provider answered ${code}.` };
  const waitMs = retryAfterOf(parameters) ?? answer.retryAfterMs;
  return resultOfClass(errorClass ?? "final", error, waitMs);
}

/** Wait in the body, in seconds; may be hours. */
function retryAfterOf(parameters: unknown): number | undefined {
  const seconds = fieldOf(parameters, "retry_after");
  return typeof seconds === "number" && seconds >= 0 && seconds < 1e6 ? Math.ceil(seconds) * 1000 : undefined;
}

/** Result of a call that was not changed, or that failed again after the change. */
function unchanged(judged: Judged): CallResult {
  if (!("change" in judged)) return judged;
  const message =
    judged.change === "plain"
      ? "The provider can't read the text's markup."
      : "The group has a new address, which is not valid either.";
  return resultOfClass("final", { code: "400", message });
}
