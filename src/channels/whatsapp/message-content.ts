import {
  locationContent,
  named,
  present,
  safeFileName,
  storable,
  storableOf,
} from "../inbound/delivered-text.ts";
import { answerLines, formAnswers } from "../inbound/form-answers.ts";
import type { InboundMedia, MessageKind, ReceivedContent } from "../inbound/inbound-event.ts";
import { fieldOf, itemsOf } from "../json-fields.ts";

type MediaKind = Extract<InboundMedia["kind"], MessageKind>;
const mediaKinds: ReadonlySet<string> = new Set<MediaKind>([
  "image",
  "video",
  "audio",
  "document",
  "sticker",
]);

/** Items of a contact list or order that the text names. */
const itemsMax = 20;

type ReadContent = (body: unknown) => ReceivedContent | undefined;

const readers: ReadonlyMap<string, ReadContent> = new Map<string, ReadContent>([
  ["text", readText],
  ["location", readLocation],
  ["interactive", readInteractive],
  ["button", readButton],
  ["order", readOrder],
]);

/** Reads what a message of a user says; undefined for a kind that this version does not know, `malformed` for a text without a body. */
export function readContent(message: unknown, kind: string): ReceivedContent | "malformed" | undefined {
  if (mediaKinds.has(kind)) return readMedia(fieldOf(message, kind), kind as MediaKind);
  // Contacts are a list, everything else is an object.
  if (kind === "contacts") return readContacts(itemsOf(message, kind));
  const read = readers.get(kind);
  return read === undefined ? undefined : (read(fieldOf(message, kind)) ?? "malformed");
}

function readText(body: unknown): ReceivedContent | undefined {
  const text = fieldOf(body, "body");
  if (typeof text !== "string" || text === "") return undefined;
  return { kind: "text", text: storable(text), media: [] };
}

function readMedia(body: unknown, kind: MediaKind): ReceivedContent {
  const media = present({
    id: storableOf(body, "id"),
    url: storableOf(body, "url"),
    mimeType: storableOf(body, "mime_type"),
    fileName: safeFileName(storableOf(body, "filename")),
    isVoice: fieldOf(body, "voice") === true ? true : undefined,
  });
  // Without an id the file can't be had, but its caption may be answered.
  const isThere = media.id !== undefined || media.url !== undefined;
  return { kind, text: storableOf(body, "caption") ?? "", media: isThere ? [{ kind, ...media }] : [] };
}

function readLocation(body: unknown): ReceivedContent {
  const place = [storableOf(body, "name"), storableOf(body, "address")].filter((part) => part !== undefined);
  return locationContent(fieldOf(body, "latitude"), fieldOf(body, "longitude"), place);
}

/** A shared contact proves nothing about the sender's own number. */
function readContacts(contacts: readonly unknown[]): ReceivedContent {
  const lines = contacts.slice(0, itemsMax).map((contact) => {
    const name = storableOf(fieldOf(contact, "name"), "formatted_name");
    const phones = itemsOf(contact, "phones")
      .slice(0, itemsMax)
      .map((phone) => storableOf(phone, "phone") ?? storableOf(phone, "wa_id"));
    return named(
      "Contact",
      [name, ...phones].filter((part) => part !== undefined),
    );
  });
  return { kind: "contact", text: lines.filter((line) => line !== "").join("\n"), media: [] };
}

/** The body may be missing. */
function readInteractive(body: unknown): ReceivedContent {
  const form = fieldOf(body, "nfm_reply");
  if (form !== undefined) {
    // The answers are JSON inside a text.
    const data = storableOf(form, "response_json");
    const answers = formAnswers(data);
    const lines = [storableOf(form, "body") ?? "", ...(answers === undefined ? [] : answerLines(answers))];
    const text = storable(lines.filter((line) => line !== "").join("\n"));
    const name = storableOf(form, "name");
    const reply = present({ title: name, data: answers ?? data });
    return { kind: "button", text, media: [], ...present({ data }), reply };
  }
  const chosen = fieldOf(body, "button_reply") ?? fieldOf(body, "list_reply");
  const [id, title] = [storableOf(chosen, "id"), storableOf(chosen, "title")];
  const reply = present({ id, title, description: storableOf(chosen, "description") });
  return { kind: "button", text: title ?? "", media: [], ...present({ data: id }), reply };
}

function readButton(body: unknown): ReceivedContent {
  const [payload, title] = [storableOf(body, "payload"), storableOf(body, "text")];
  const reply = present({ payload, title });
  return { kind: "button", text: title ?? "", media: [], ...present({ data: payload }), reply };
}

function readOrder(body: unknown): ReceivedContent {
  const items = itemsOf(body, "product_items")
    .slice(0, itemsMax)
    .map((item) => {
      const what = storableOf(item, "product_retailer_id") ?? "an item";
      const price = `${scalarOf(item, "item_price")} ${scalarOf(item, "currency")}`.trim();
      return `${scalarOf(item, "quantity") || 1} × ${what}${price === "" ? "" : ` at ${price}`}`;
    });
  const lines = [named("Order", items), storableOf(body, "text") ?? ""];
  return { kind: "order", text: lines.filter((line) => line !== "").join("\n"), media: [] };
}

function scalarOf(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  return typeof field === "number" ? String(field) : (storableOf(value, name) ?? "");
}
