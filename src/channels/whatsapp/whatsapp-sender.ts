import type { Logger } from "../../kit/log.ts";
import { storableOf } from "../inbound/delivered-text.ts";
import type { Address } from "../inbound/inbound-event.ts";
import { fieldOf, itemsOf, textOf } from "../json-fields.ts";
import type { ChannelSender } from "../sending/channel-sender.ts";
import { graphResult } from "../sending/graph-answer.ts";
import {
  type MessagePart,
  type OutgoingLimits,
  type OutgoingMedia,
  type OutgoingMessage,
  type OutgoingTemplate,
  partsOf,
  tokenOfPart,
} from "../sending/outgoing-message.ts";
import type { ProviderCall } from "../sending/provider-call.ts";
import { fileGone, uploadResult } from "../sending/send-result.ts";
import { whatsAppErrorClass } from "./error-classes.ts";

const mebibyte = 1024 * 1024;

export const whatsAppLimits: OutgoingLimits = {
  text: { max: 4096, unit: "characters" },
  captionMax: 1024,
  captionKinds: ["image", "video", "document"],
  mediaBytesMax: {
    image: 5 * mebibyte,
    audio: 16 * mebibyte,
    video: 16 * mebibyte,
    document: 100 * mebibyte,
  },
  hasTemplates: true,
  hasContactButton: false,
  windowMs: 24 * 60 * 60_000,
  // A burst to one user borrows from the minutes after it.
  ratesOf: (_, recipient) => ({
    account: { perSecond: 80, burst: 80 },
    [`to ${recipient}`]: { perSecond: 1 / 6, burst: 45 },
  }),
};

/** Account of WhatsApp's Cloud API that messages are sent from. */
export interface WhatsAppAccount {
  /** Includes the API version; has no slash at the end. */
  apiBaseUrl: string;
  phoneNumberId: string;
  accessToken: string;
}

/** Returns where the account's messages are posted, and the headers that prove that they are its own. */
export function whatsAppTarget({ apiBaseUrl, phoneNumberId, accessToken }: WhatsAppAccount): {
  url: string;
  headers: Record<string, string>;
} {
  const url = `${apiBaseUrl}/${encodeURIComponent(phoneNumberId)}/messages`;
  return { url, headers: { authorization: `Bearer ${accessToken}` } };
}

/** Sends by `POST {base}/{phone number id}/messages`. */
export function createWhatsAppSender(
  account: WhatsAppAccount,
  call: ProviderCall,
  log: Logger,
): ChannelSender {
  const { url, headers } = whatsAppTarget(account);
  const mediaUrl = url.replace(/messages$/, "media");
  const post = async (
    body: object,
    accepted: (document: unknown) => string | true | undefined,
    { to = url, ...options }: { to?: string; mayRepeat?: true } = {},
  ) =>
    graphResult(await call(to, headers, body, options), {
      channel: "phone_messenger",
      secret: account.accessToken,
      errorClass: (code, _subcode, details) => whatsAppErrorClass(code, details),
      unknownClass: "final",
      accepted,
      namedAs: (document) => storableOf(itemsOf(document, "contacts")[0], "wa_id"),
      log,
    });
  /** Returns the provider's id of a file that has no address, or why it has none. */
  const upload = async ({ read, fileName = "file", mimeType }: OutgoingMedia) => {
    if (read === undefined) return undefined;
    const file = await read();
    if (file === undefined) return fileGone;
    const form = new FormData();
    form.set("messaging_product", "whatsapp");
    form.set("type", mimeType ?? file.type);
    form.set("file", file, fileName);
    const result = await post(form, (document) => textOf(document, "id"), { to: mediaUrl });
    return result.outcome === "accepted" ? result.providerId : uploadResult(result);
  };
  return {
    parts: (message) => partsOf(message, whatsAppLimits),
    async sendPart(message, part) {
      const uploaded = part.kind === "media" ? await upload(part.media) : undefined;
      if (typeof uploaded === "object") return uploaded;
      return post(messageBody(message, part, uploaded), (document) =>
        textOf(itemsOf(document, "messages")[0], "id"),
      );
    },
    markRead: (_to, messageId) =>
      post(
        {
          messaging_product: "whatsapp",
          status: "read",
          message_id: messageId,
          typing_indicator: { type: "text" },
        },
        (document) => fieldOf(document, "success") === true || undefined,
        { mayRepeat: true },
      ),
  };
}

/** Returns the body that sends one part of a message. */
export function messageBody(message: OutgoingMessage, part: MessagePart, uploadId?: string): object {
  const { token } = message;
  return {
    messaging_product: "whatsapp",
    recipient_type: message.to.kind === "group" ? "group" : "individual",
    ...recipientOf(message.to),
    ...contentOf(part, uploadId),
    ...replyOf(message, part),
    ...(token === undefined ? {} : { biz_opaque_callback_data: tokenOfPart(token, part.index) }),
  };
}

/** A user without a phone number has an id, which goes in a field of its own. */
function recipientOf({ kind, address }: Address): object {
  return kind === "bsuid" ? { recipient: address } : { to: address.replace(/^\+/, "") };
}

function contentOf(part: MessagePart, uploadId: string | undefined): object {
  switch (part.kind) {
    case "template":
      return { type: "template", template: templateOf(part.template) };
    case "text":
      return { type: "text", text: { body: part.text, preview_url: false } };
    case "media": {
      const { kind, url, caption, fileName } = part.media;
      const file = {
        ...(uploadId === undefined ? { link: url } : { id: uploadId }),
        ...(caption === undefined ? {} : { caption }),
        ...(fileName === undefined || kind !== "document" ? {} : { filename: fileName }),
      };
      return { type: kind, [kind]: file };
    }
  }
}

function templateOf({ name, language, params, components: given }: OutgoingTemplate): object {
  if (given !== undefined) return { name, language: { code: language }, components: given };
  const isList = (some: OutgoingTemplate["params"]): some is readonly string[] => Array.isArray(some);
  const parameters = isList(params)
    ? params.map((text) => ({ type: "text", text }))
    : Object.entries(params).map(([parameter, text]) => ({ type: "text", parameter_name: parameter, text }));
  const components = parameters.length === 0 ? {} : { components: [{ type: "body", parameters }] };
  return { name, language: { code: language }, ...components };
}

function replyOf({ replyTo }: OutgoingMessage, { index }: MessagePart): object {
  return replyTo === undefined || index > 0 ? {} : { context: { message_id: replyTo } };
}
