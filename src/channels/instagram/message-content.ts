import { present, storableOf } from "../inbound/delivered-text.ts";
import type { InboundMedia, ReceivedContent } from "../inbound/inbound-event.ts";
import { fieldOf, itemsOf, textOf } from "../json-fields.ts";

/** Attachments that are files; each other kind, such as a shared post or a mention in a story, is a link. */
const fileKinds: ReadonlyMap<string, Exclude<InboundMedia["kind"], "link">> = new Map([
  ["image", "image"],
  ["video", "video"],
  ["audio", "audio"],
  ["file", "document"],
  ["animated_image", "image"],
]);

/** More than the provider sends with one message. */
const attachmentsMax = 30;

/** Reads what a message says; undefined if it has neither text nor attachments. */
export function readContent(message: unknown): ReceivedContent | undefined {
  const media = itemsOf(message, "attachments").slice(0, attachmentsMax).flatMap(mediaOf);
  const text = storableOf(message, "text");
  const payload = storableOf(fieldOf(message, "quick_reply"), "payload");
  const data = payload === undefined ? {} : { data: payload, reply: present({ title: text, payload }) };
  const [first] = media;
  if (first !== undefined) return { kind: first.kind, text: text ?? "", media, ...data };
  if (text === undefined) return undefined;
  return { kind: payload === undefined ? "text" : "button", text, media: [], ...data };
}

function mediaOf(attachment: unknown): InboundMedia[] {
  const type = textOf(attachment, "type");
  if (type === undefined) return [];
  const payload = fieldOf(attachment, "payload");
  const kind = fieldOf(payload, "sticker_id") === undefined ? (fileKinds.get(type) ?? "link") : "sticker";
  return [{ kind, ...present({ url: storableOf(payload, "url") }) }];
}
