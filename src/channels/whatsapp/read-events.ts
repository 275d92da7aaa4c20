import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import { cutText } from "../../kit/text/cut-text.ts";
import { addressOf, idOf, instantOf, present, storableOf, textIdOf } from "../inbound/delivered-text.ts";
import type { Address, DeliveryReading, InboundEvent, StatusEvent } from "../inbound/inbound-event.ts";
import { type DeliveryJson, readDeliveryJson } from "../inbound/read-delivery-json.ts";
import { fieldOf, itemsOf, textOf } from "../json-fields.ts";
import { indexContacts } from "./contact-index.ts";
import { readContent } from "./message-content.ts";
import { type ChangeContext, digitsOf, readUserMessage } from "./read-user-message.ts";

/** Reading one message or status, with the memory for its event. */
const stepsPerPart = 200;

/** Reads a delivery, which may contain messages and statuses of many accounts. */
export function* readWhatsAppDelivery(
  body: Uint8Array,
  readJson: (body: Uint8Array) => Work<DeliveryJson> = readDeliveryJson,
): Work<DeliveryReading> {
  const read = yield* readJson(body);
  if ("unreadable" in read) return read;
  const events: InboundEvent[] = [];
  if (fieldOf(read.document, "object") !== "whatsapp_business_account") {
    return { events: [{ type: "ignored", reason: "other_object", account: undefined }] };
  }
  for (const entry of itemsOf(read.document, "entry")) {
    if (countSteps(stepsPerPart)) yield;
    for (const change of itemsOf(entry, "changes")) {
      if (countSteps(stepsPerPart)) yield;
      yield* readChange(change, events);
    }
  }
  return { events };
}

function* readChange(change: unknown, events: InboundEvent[]): Work<void> {
  const field = fieldOf(change, "field");
  const value = fieldOf(change, "value");
  const account = idOf(fieldOf(value, "metadata"), "phone_number_id");
  if (field !== "messages" && field !== "smb_message_echoes") {
    events.push({ type: "ignored", reason: "other_field", account });
    return;
  }
  if (account === undefined) {
    events.push({ type: "ignored", reason: "malformed", account });
    return;
  }
  for (const echo of itemsOf(value, "message_echoes")) {
    if (countSteps(stepsPerPart)) yield;
    events.push(readEcho(echo, account));
  }
  // Other programs' messages are of no user, whatever else their change contains.
  if (field !== "messages") return;
  const context = yield* changeContext(value, account);
  for (const message of itemsOf(value, "messages")) {
    if (countSteps(stepsPerPart)) yield;
    events.push(readUserMessage(message, context));
  }
  for (const status of itemsOf(value, "statuses")) {
    if (countSteps(stepsPerPart)) yield;
    events.push(readStatus(status, context));
  }
  for (const error of itemsOf(value, "errors")) {
    if (countSteps(stepsPerPart)) yield;
    const code = codeOf(error);
    const record = { dedupeKey: `error:${code}`, at: undefined, ...present({ code }) };
    events.push({ type: "ignored", reason: "provider_error", account, record });
  }
}

/** Facts that all messages of a change share. */
function* changeContext(value: unknown, account: string): Work<ChangeContext> {
  const ownDigits = digitsOf(textOf(fieldOf(value, "metadata"), "display_phone_number") ?? "");
  return { account, ownDigits, contacts: yield* indexContacts(value) };
}

const knownStatuses: ReadonlySet<string> = new Set(["sent", "delivered", "read", "played", "failed"]);

/** Reads one entry of `statuses`. */
function readStatus(status: unknown, { account, contacts }: ChangeContext): InboundEvent {
  const messageId = textIdOf(status, "id");
  const name = idOf(status, "status");
  if (messageId === undefined || name === undefined) return { type: "ignored", reason: "malformed", account };
  const phone = addressOf("phone", textOf(status, "recipient_id"));
  const userId = textOf(status, "recipient_user_id") ?? contacts.userIdOf(phone?.address);
  const named = recipientsOf(phone, addressOf("bsuid", userId));
  const error = itemsOf(status, "errors")[0];
  return {
    type: "status",
    account,
    dedupeKey: `${messageId}:${cutText(name, 32)}`,
    messageId,
    status: (knownStatuses.has(name) ? name : "other") as StatusEvent["status"],
    at: instantOf(fieldOf(status, "timestamp")),
    ...present({
      token: storableOf(status, "biz_opaque_callback_data"),
      ...named,
      error: error === undefined ? undefined : errorOf(error),
    }),
  };
}

/** A recipient by number, or by user id; by both if the provider names both. */
function recipientsOf(phone: Address | undefined, bsuid: Address | undefined) {
  return {
    recipient: phone ?? bsuid,
    ...(phone !== undefined && bsuid !== undefined && { recipientAlias: bsuid }),
  };
}

function errorOf(error: unknown): NonNullable<StatusEvent["error"]> {
  const details = storableOf(fieldOf(error, "error_data"), "details") ?? storableOf(error, "message");
  return { code: codeOf(error), ...present({ title: storableOf(error, "title"), details }) };
}

function codeOf(error: unknown): number | undefined {
  const code = fieldOf(error, "code");
  return typeof code === "number" ? code : undefined;
}

/** Reads a message that the business sent from the provider's own app. */
function readEcho(echo: unknown, account: string): InboundEvent {
  const messageId = textIdOf(echo, "id");
  const { recipient, recipientAlias } = recipientsOf(
    addressOf("phone", textOf(echo, "to")),
    addressOf("bsuid", textOf(echo, "to_user_id")),
  );
  if (messageId === undefined || recipient === undefined) {
    return { type: "ignored", reason: "malformed", account };
  }
  const content = readContent(echo, textOf(echo, "type") ?? "");
  const sentAt = instantOf(fieldOf(echo, "timestamp"));
  const known = typeof content === "object" ? content : { kind: "text" as const, text: "", media: [] };
  return {
    type: "echo",
    account,
    dedupeKey: messageId,
    messageId,
    recipient,
    sentAt,
    ...known,
    ...present({ recipientAlias }),
  };
}
