import { queryLengthMax } from "../../contracts/daemon/runs/run.ts";
import type { DeliveredReaction, Ignored, InboundMessage, Sender } from "../delivery.ts";
import type { IgnoredReason } from "../inbound/inbound-event.ts";
import { type ChangeContext, readUserMessage } from "./read-user-message.ts";

/** Reports are counted together. */
const events: ReadonlySet<IgnoredReason> = new Set<IgnoredReason>([
  "reaction",
  "system",
  "edit",
  "revoke",
  "unsupported",
]);

/** Reads one entry of `messages` for a service that answers texts only: a user's message or reaction, or the reason to ignore it. */
export function readMessage(
  message: unknown,
  context: ChangeContext,
): InboundMessage | DeliveredReaction | Ignored {
  const read = readUserMessage(message, context);
  if (read.type === "reaction") return { about: read.about, emoji: read.emoji, at: read.at };
  if (read.type === "ignored") {
    if (events.has(read.reason)) return "event";
    return read.reason === "own" || read.reason === "unknown_kind" ? read.reason : "malformed";
  }
  if (read.type !== "message") return "event";
  // An answer would go to the whole group.
  if (read.conversation.isGroup) return "group";
  const { messageId, contactName, sentAt, kind, text } = read;
  const base = { messageId, sender: read.sender as Sender, contactName, sentAt };
  if (kind !== "text") return { ...base, request: "other_kind", text: "" };
  if (text.trim() === "") return "malformed";
  if (isTooLong(text)) return { ...base, request: "too_long", text: "" };
  return { ...base, request: "text", text };
}

/** The limit applies to UTF-16 units and to UTF-8 bytes. */
function isTooLong(body: string): boolean {
  return body.length > queryLengthMax || Buffer.byteLength(body) > queryLengthMax;
}
