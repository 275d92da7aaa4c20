import { queryLengthMax } from "../../contracts/daemon/runs/run.ts";
import type { Ignored, InboundMessage, Sender } from "../delivery.ts";
import { fieldOf, itemsOf, textOf } from "./json-fields.ts";

/** Kinds of user messages that deserve an answer but contain no text. */
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

/** Kinds that report an event; `unsupported` is anything that the provider can't pass on. */
const events: ReadonlySet<string> = new Set(["reaction", "system", "edit", "revoke", "unsupported"]);

/** Longer than any id of the provider. */
const messageIdCharsMax = 512;
const contactNameCharsMax = 255;
/** Session ids have at most 255 characters and no control characters. */
const address = /^[^\p{Cc}]{1,255}$/u;

/** Reads one entry of `messages`: a user's message, or the reason to ignore it. */
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

/** Prefers the phone number to the user id. */
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

/** True if the sender is our own number. An answer would start a conversation with ourselves. */
function isOurs(sender: Sender, value: unknown): boolean {
  const ours = digitsOf(textOf(fieldOf(value, "metadata"), "display_phone_number") ?? "");
  return sender.kind === "phone" && ours !== "" && ours === digitsOf(sender.address);
}

const digitsOf = (text: string) => text.replace(/\D/g, "");

/** Profile name of the sender's contact. */
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

/** Parses a string of seconds since 1970. */
function instantOf(timestamp: string | undefined): Date | undefined {
  if (timestamp === undefined || !/^\d{1,11}$/.test(timestamp)) return undefined;
  return new Date(Number(timestamp) * 1000);
}

/** The limit applies to UTF-16 units and to UTF-8 bytes. */
function isTooLong(body: string): boolean {
  return body.length > queryLengthMax || Buffer.byteLength(body) > queryLengthMax;
}
