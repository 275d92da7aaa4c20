import type { Address } from "../inbound/inbound-event.ts";
import type { SendRatesOf } from "./send-rates.ts";
import { lengthIn, type TextLimit } from "./text-length.ts";

export type MediaKind = "image" | "audio" | "video" | "document";

export interface OutgoingMedia {
  kind: MediaKind;
  /** Public address from which the provider downloads the file; undefined if it is uploaded. */
  url?: string;
  /** Reads the file that is uploaded; undefined if it is gone. */
  read?: () => Promise<Blob | undefined>;
  mimeType?: string;
  fileName?: string;
  caption?: string;
}

/** Message form that the provider approved; the only one that WhatsApp accepts when the user wrote more than 24 hours ago. */
export interface OutgoingTemplate {
  name: string;
  /** Code such as `es_MX`. */
  language: string;
  /** Texts of the placeholders, by position or by name. */
  params: readonly string[] | Readonly<Record<string, string>>;
  /** Header, body and buttons as the provider takes them, in place of the placeholders. */
  components?: readonly object[];
}

/** A message to a user. At least one of `text`, `media` and `template` is present. */
export interface OutgoingMessage {
  to: Address;
  text?: string;
  media?: OutgoingMedia;
  template?: OutgoingTemplate;
  /** Id of the message that this one replies to. */
  replyTo?: string;
  /** Label of a button by which the user shares their phone number. */
  contactButton?: string;
  /** The text with Telegram's marks. */
  html?: string;
  /** Our id, which providers that can return it add to each status. */
  token?: string;
}

/** One call to the provider. */
export type MessagePart = { index: number } & (
  | { kind: "template"; template: OutgoingTemplate }
  | { kind: "text"; text: string; html?: string; contactButton?: string }
  | { kind: "media"; media: OutgoingMedia }
);

/** Limits of a channel's messages. */
export interface OutgoingLimits {
  /** Maximum length of a text, as the provider counts it. */
  text: TextLimit;
  /** Maximum length of a caption in the same unit, and the kinds of media that have one. */
  captionMax: number;
  captionKinds: readonly MediaKind[];
  /** Maximum size of a file, in bytes; a kind without one can't be sent. */
  mediaBytesMax: Partial<Record<MediaKind, number>>;
  hasTemplates: boolean;
  hasContactButton: boolean;
  /** Time after the user's last message in which free text is accepted. */
  windowMs: number | undefined;
  /** Rates at which the provider takes calls. */
  ratesOf: SendRatesOf;
}

/**
 * Divides a message into calls: the template, the text, the media. A text becomes the caption of the media if it fits; a caption that
 * the channel can't show becomes a text before the media.
 */
export function partsOf(message: OutgoingMessage, limits: OutgoingLimits): MessagePart[] {
  const { text, html, template, contactButton } = message;
  const { media, texts } = withCaption(message, limits);
  const parts: MessagePart[] = [];
  if (template !== undefined) parts.push({ index: 0, kind: "template", template });
  // The button needs a text.
  if (contactButton !== undefined && texts.length === 0) texts.push(text || contactButton);
  for (const [index, part] of texts.entries()) {
    const isLast = index === texts.length - 1;
    const button = isLast && contactButton !== undefined ? { contactButton } : {};
    const marked = html !== undefined && part === text ? { html } : {};
    parts.push({ index: parts.length, kind: "text", text: part, ...marked, ...button });
  }
  if (media !== undefined) parts.push({ index: parts.length, kind: "media", media });
  return parts;
}

function withCaption(
  { text, media, contactButton, html }: OutgoingMessage,
  { captionKinds, captionMax, text: { unit } }: OutgoingLimits,
): { media: OutgoingMedia | undefined; texts: string[] } {
  const texts = text ? [text] : [];
  if (media === undefined) return { media, texts };
  const { caption, ...file } = media;
  const isShown = captionKinds.includes(media.kind);
  const wanted = caption || (contactButton === undefined && html === undefined ? text : undefined);
  if (wanted && isShown && lengthIn(unit, wanted) <= captionMax) {
    return { media: { ...file, caption: wanted }, texts: caption ? texts : [] };
  }
  return { media: file, texts: caption ? [...texts, caption] : texts };
}

/** Token of one part: our id for the first, our id and the index for each further one. */
export function tokenOfPart(token: string, index: number): string {
  return index === 0 ? token : `${token}.${index}`;
}

/** Reverses `tokenOfPart`. */
export function partOfToken(token: string): { token: string; index: number } {
  const match = /^(.+)\.([1-9])$/s.exec(token);
  return match === null ? { token, index: 0 } : { token: match[1] ?? token, index: Number(match[2]) };
}
