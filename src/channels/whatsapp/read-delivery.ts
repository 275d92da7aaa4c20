import { countSteps, type Work } from "../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../kit/json/strict-json.ts";
import type { Delivery, Ignored, SendStatus } from "../delivery.ts";
import { fieldOf, itemsOf, textOf } from "../json-fields.ts";
import { changeContext, readStatus } from "./read-events.ts";
import { readMessage } from "./read-message.ts";

/**
 * Reads the parts of a delivery for the account `phoneNumberId`. Throws AppError `invalid` if the body is not JSON. Unknown parts are
 * skipped and counted, because the provider adds fields and kinds, and redelivers refused requests for days.
 */
export function* readDelivery(body: Uint8Array, phoneNumberId: string): Work<Delivery> {
  const delivery: Delivery = { messages: [], statuses: [], reactions: [], ignored: new Map() };
  const ignore = (why: Ignored) => {
    delivery.ignored.set(why, (delivery.ignored.get(why) ?? 0) + 1);
  };
  const text = withoutHalfCharacters(body);
  if (countSteps(text.length * stepsPerCharacter)) yield;
  const document = yield* readStrictJson(text);
  if (fieldOf(document, "object") !== "whatsapp_business_account") {
    ignore("other_object");
    return delivery;
  }
  for (const entry of itemsOf(document, "entry")) {
    for (const change of itemsOf(entry, "changes")) {
      if (fieldOf(change, "field") !== "messages") {
        ignore("other_field");
        continue;
      }
      const value = fieldOf(change, "value");
      if (textOf(fieldOf(value, "metadata"), "phone_number_id") !== phoneNumberId) {
        ignore("unknown_account");
        continue;
      }
      const context = yield* changeContext(value, phoneNumberId);
      for (const message of itemsOf(value, "messages")) {
        if (countSteps(stepsPerPart)) yield;
        const read = readMessage(message, context);
        if (typeof read === "string") ignore(read);
        else if ("about" in read) delivery.reactions.push(read);
        else delivery.messages.push(read);
      }
      for (const status of itemsOf(value, "statuses")) {
        if (countSteps(stepsPerPart)) yield;
        ignore("status");
        const read = ownStatus(status, phoneNumberId);
        if (read !== undefined) delivery.statuses.push(read);
      }
    }
  }
  return delivery;
}

/** Reads a status. Only messages with our token are ours; others return undefined. */
function ownStatus(value: unknown, account: string): SendStatus | undefined {
  const read = readStatus(value, account);
  if (read.type !== "status" || read.token === undefined) return undefined;
  return { token: read.token, status: read.status, code: read.error?.code };
}

/** Reading one message or status. */
const stepsPerPart = 200;

/** Looking for halves, and replacing them. */
const stepsPerCharacter = 2;

/** Every escape of JSON, one after the other, so that an escaped backslash isn't taken for the start of one. */
const escapes = /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)/gs;
const half = /^\\u[dD][89a-fA-F][0-9a-fA-F]{2}$/;

/**
 * Replaces each escaped half of a surrogate pair with U+FFFD. The provider may cut names and messages inside a pair, and a strict parser
 * would refuse the whole delivery.
 */
function withoutHalfCharacters(body: Uint8Array): Uint8Array | string {
  const text = decode(body);
  if (text === undefined || !/\\u[dD][89a-fA-F]/.test(text)) return body;
  return text.replace(escapes, (found) => (half.test(found) ? "\\ufffd" : found));
}

/** Returns undefined if the body is not UTF-8; the strict parser then reports the position. */
function decode(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return undefined;
  }
}
