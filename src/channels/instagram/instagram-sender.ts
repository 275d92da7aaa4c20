import type { Logger } from "../../kit/log.ts";
import { idOf } from "../inbound/delivered-text.ts";
import type { Address } from "../inbound/inbound-event.ts";
import type { ChannelSender } from "../sending/channel-sender.ts";
import { graphResult } from "../sending/graph-answer.ts";
import { type MessagePart, type OutgoingLimits, partsOf } from "../sending/outgoing-message.ts";
import type { ProviderCall } from "../sending/provider-call.ts";
import { noTemplates } from "../sending/send-result.ts";
import { instagramErrorClass } from "./error-classes.ts";

const mebibyte = 1024 * 1024;

export const instagramLimits: OutgoingLimits = {
  text: { max: 1000, unit: "bytes" },
  captionMax: 0,
  captionKinds: [],
  mediaBytesMax: {
    image: 8 * mebibyte,
    audio: 25 * mebibyte,
    video: 25 * mebibyte,
    document: 25 * mebibyte,
  },
  hasTemplates: false,
  hasContactButton: false,
  windowMs: 24 * 60 * 60_000,
  ratesOf: ({ kind }) =>
    kind === "media" ? { media: { perSecond: 10, burst: 10 } } : { text: { perSecond: 300, burst: 300 } },
};

export interface InstagramAccount {
  /** Includes the API version; has no slash at the end. */
  apiBaseUrl: string;
  accessToken: string;
}

/** Sends by `POST {base}/me/messages`: the token names the account, whichever of the two logins created it. */
export function createInstagramSender(
  { apiBaseUrl, accessToken }: InstagramAccount,
  call: ProviderCall,
  log: Logger,
): ChannelSender {
  const url = `${apiBaseUrl}/me/messages`;
  const headers = { authorization: `Bearer ${accessToken}` };
  const post = async (
    to: Address,
    body: object,
    accepted: (document: unknown) => string | true | undefined,
    options?: { mayRepeat: true },
  ) =>
    graphResult(await call(url, headers, { recipient: { id: to.address }, ...body }, options), {
      channel: "photo_social",
      secret: accessToken,
      errorClass: instagramErrorClass,
      // Most subcodes are undocumented.
      unknownClass: "once",
      accepted,
      log,
    });
  const mark = (to: Address, action: "mark_seen" | "typing_on") =>
    post(
      to,
      { sender_action: action },
      (document) => idOf(document, "recipient_id") !== undefined || undefined,
      { mayRepeat: true },
    );
  return {
    parts: (message) => partsOf(message, instagramLimits),
    async sendPart(message, part) {
      if (part.kind === "template") return noTemplates;
      return post(message.to, { message: contentOf(part) }, (document) => idOf(document, "message_id"));
    },
    markRead: (to) => mark(to, "mark_seen"),
    showTyping: (to) => mark(to, "typing_on"),
  };
}

function contentOf(part: Exclude<MessagePart, { kind: "template" }>): object {
  if (part.kind === "text") return { text: part.text };
  const { kind, url } = part.media;
  return { attachment: { type: kind === "document" ? "file" : kind, payload: { url } } };
}
