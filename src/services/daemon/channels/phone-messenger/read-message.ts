import { queryLengthMax } from "../../../../contracts/daemon/run.ts";
import type { Ignored, InboundMessage, Sender } from "./delivery.ts";
import { fieldOf, itemsOf, textOf } from "./json-fields.ts";

/** Kinds that a user sends and may expect an answer to. */
const otherKinds: ReadonlySet<string> = new Set([
  "image",
  "video",
  "audio",
  "document",
  "sticker",
  "location",
  "contacts",
  "interactive",
  "button",
  "order",
]);

/** Kinds that tell of something that happened; `unsupported` may be anything that the provider can't show us. */
const events: ReadonlySet<string> = new Set(["reaction", "system", "edit", "revoke", "unsupported"]);

/** Longer than any id that the provider makes. */
const messageIdCharsMax = 512;
const contactNameCharsMax = 255;
/** A session id may have 255 characters and none of these. */
const address = /^[^\p{Cc}]{1,255}$/u;

/** What is to be done about one entry of `messages`: a user's message, or why nobody acts on it. */
export function readMessage(message: unknown, value: unknown): InboundMessage | Ignored {
  const messageId = textOf(message, "id");
  const sender = senderOf(message);
  const kind = textOf(message, "type");
  if (messageId === undefined || messageId.length > messageIdCharsMax) return "malformed";
  if (sender === undefined || kind === undefined) return "malformed";
  // An answer would go to the whole group.
  if (textOf(message, "group_id") !== undefined) return "group";
  if (isOurs(sender, value)) return "own";
  const base = {
    messageId,
    sender,
    contactName: contactNameOf(sender, message, value),
    sentAt: instantOf(textOf(message, "timestamp")),
  };
  if (kind === "text") {
    const body = textOf(fieldOf(message, "text"), "body");
    if (body === undefined) return "malformed";
    if (isTooLong(body)) return { ...base, request: "too_long", text: "" };
    return { ...base, request: "text", text: body };
  }
  if (otherKinds.has(kind)) return { ...base, request: "other_kind", text: "" };
  return events.has(kind) ? "event" : "unknown_kind";
}

/** The phone number where there is one. */
function senderOf(message: unknown): Sender | undefined {
  const phone = textOf(message, "from");
  const bsuid = textOf(message, "from_user_id");
  const sender: Sender | undefined =
    phone === undefined
      ? bsuid === undefined
        ? undefined
        : { kind: "bsuid", address: bsuid }
      : { kind: "phone", address: phone };
  return sender !== undefined && address.test(sender.address) ? sender : undefined;
}

/** Our own number as a sender: to answer would be to talk to ourselves. */
function isOurs(sender: Sender, value: unknown): boolean {
  const ours = digitsOf(textOf(fieldOf(value, "metadata"), "display_phone_number") ?? "");
  return sender.kind === "phone" && ours !== "" && ours === digitsOf(sender.address);
}

const digitsOf = (text: string) => text.replace(/\D/g, "");

/** The profile's name, of the contact that is the sender. */
function contactNameOf({ kind, address }: Sender, message: unknown, value: unknown): string | undefined {
  const userId = textOf(message, "from_user_id");
  const contact = itemsOf(value, "contacts").find((contact) => {
    if (kind === "phone" && textOf(contact, "wa_id") === address) return true;
    return userId !== undefined && textOf(contact, "user_id") === userId;
  });
  const name = textOf(fieldOf(contact, "profile"), "name")
    ?.replace(/\p{Cc}/gu, " ")
    .trim();
  return name === undefined || name === "" ? undefined : name.slice(0, contactNameCharsMax).toWellFormed();
}

/** Seconds since 1970, as a text. */
function instantOf(timestamp: string | undefined): Date | undefined {
  if (timestamp === undefined || !/^\d{1,11}$/.test(timestamp)) return undefined;
  return new Date(Number(timestamp) * 1000);
}

/** In bytes the same limit as in UTF-16 units. */
function isTooLong(body: string): boolean {
  return body.length > queryLengthMax || Buffer.byteLength(body) > queryLengthMax;
}
