import {
  addressOf,
  idOf,
  instantOf,
  phoneOf,
  present,
  reactionName,
  storableOf,
  textIdOf,
} from "../inbound/delivered-text.ts";
import type {
  Address,
  IgnoredEvent,
  IgnoredReason,
  InboundEvent,
  MessageEvent,
  ReactionEvent,
  Referral,
} from "../inbound/inbound-event.ts";
import { fieldOf, textOf } from "../json-fields.ts";
import type { ContactIndex } from "./contact-index.ts";
import { readContent } from "./message-content.ts";

/** The change that a message is part of. */
export interface ChangeContext {
  account: string;
  /** Digits of our own number; empty if unknown. */
  ownDigits: string;
  contacts: ContactIndex;
}

/** Kinds that report about an earlier message or the user. */
const reports: ReadonlyMap<string, IgnoredReason> = new Map<string, IgnoredReason>([
  ["reaction", "reaction"],
  ["system", "system"],
  ["edit", "edit"],
  ["revoke", "revoke"],
  ["unsupported", "unsupported"],
]);

/** Reads one entry of `messages`. */
export function readUserMessage(message: unknown, context: ChangeContext): InboundEvent {
  const { account } = context;
  const messageId = textIdOf(message, "id");
  const phone = addressOf("phone", textOf(message, "from"));
  const bsuid = addressOf("bsuid", textOf(message, "from_user_id"));
  const sender = phone ?? bsuid;
  const kind = textOf(message, "type");
  const isMalformed = textOf(message, "from") !== undefined && phone === undefined;
  if (messageId === undefined || sender === undefined || kind === undefined || isMalformed) {
    return { type: "ignored", reason: "malformed", account };
  }
  const at = instantOf(fieldOf(message, "timestamp"));
  const ignored = (reason: IgnoredReason, more: { about?: string; text?: string } = {}): IgnoredEvent => ({
    type: "ignored",
    reason,
    account,
    record: { dedupeKey: messageId, address: sender, at, ...more },
  });
  // An answer would start a conversation with ourselves.
  if (phone !== undefined && context.ownDigits !== "" && digitsOf(phone.address) === context.ownDigits) {
    return ignored("own");
  }
  const reaction = kind === "reaction" ? reactionTo(message, sender, messageId, account, at) : undefined;
  if (reaction !== undefined) return reaction;
  const report = reports.get(kind);
  if (report !== undefined)
    return movedTo(message, kind, sender, messageId, account, at) ?? ignored(report, aboutOf(message, kind));
  const content = readContent(message, kind);
  if (content === undefined) return ignored("unknown_kind");
  if (content === "malformed") return ignored("malformed");
  const group = addressOf("group", idOf(message, "group_id"));
  const conversation = group ?? sender;
  const contactName = context.contacts.nameOf(phone?.address, bsuid?.address);
  const replied = fieldOf(message, "context");
  return {
    type: "message",
    account,
    dedupeKey: messageId,
    messageId,
    conversation: { address: conversation, key: conversation.address, isGroup: group !== undefined },
    ...(group !== undefined && {
      speaker: contactName ?? sender.address,
      addresses: addressesUs(content.text, replied, context) ? { us: true } : {},
    }),
    sender,
    sentAt: at,
    isForwarded: fieldOf(replied, "forwarded") === true || fieldOf(replied, "frequently_forwarded") === true,
    ...content,
    ...present({
      senderAlias:
        phone === undefined
          ? addressOf("phone", context.contacts.phoneOf(bsuid?.address))
          : (bsuid ?? addressOf("bsuid", context.contacts.userIdOf(phone.address))),
      senderPhone: phoneOf(phone?.address),
      contactName: group === undefined ? contactName : undefined,
      replyTo: idOf(replied, "id"),
      referral: referralOf(fieldOf(message, "referral")),
    }),
  } satisfies MessageEvent;
}

/** True for a message that answers one of ours, or mentions our number. */
function addressesUs(text: string, replied: unknown, { ownDigits }: ChangeContext): boolean {
  if (ownDigits === "") return idOf(replied, "id") !== undefined;
  return digitsOf(textOf(replied, "from") ?? "") === ownDigits || text.includes(`@${ownDigits}`);
}

/** A reaction without an emoji removes the one before. */
function reactionTo(
  message: unknown,
  address: Address,
  dedupeKey: string,
  account: string,
  at: Date | undefined,
): ReactionEvent | undefined {
  const reaction = fieldOf(message, "reaction");
  const about = idOf(reaction, "message_id");
  if (about === undefined) return undefined;
  const emoji = reactionName(reaction, "emoji");
  const chat = idOf(message, "group_id");
  return { type: "reaction", account, dedupeKey, address, about, at, ...present({ emoji, chat }) };
}

export const digitsOf = (text: string): string => text.replace(/\D/g, "");

/** Event of a user with a new number; the old number may belong to another person now. */
function movedTo(
  message: unknown,
  kind: string,
  from: Address,
  messageId: string,
  account: string,
  at: Date | undefined,
): InboundEvent | undefined {
  const system = fieldOf(message, kind);
  if (kind !== "system" || textOf(system, "type") !== "user_changed_number") return undefined;
  const to = addressOf("phone", textOf(system, "wa_id"));
  return to && { type: "moved", account, dedupeKey: messageId, from, to, at };
}

function aboutOf(message: unknown, kind: string): { about?: string; text?: string } {
  const body = fieldOf(message, kind);
  const edited = fieldOf(body, "message");
  const text =
    kind === "edit"
      ? (storableOf(fieldOf(edited, "text"), "body") ??
        storableOf(fieldOf(edited, textOf(edited, "type") ?? ""), "caption"))
      : (storableOf(body, "emoji") ?? storableOf(body, "body"));
  return present({ about: idOf(body, "original_message_id") ?? idOf(body, "message_id"), text });
}

function referralOf(referral: unknown): Referral | undefined {
  if (typeof referral !== "object" || referral === null) return undefined;
  return {
    source: storableOf(referral, "source_type") ?? "unknown",
    ...present({
      ref: storableOf(referral, "source_id"),
      url: storableOf(referral, "source_url"),
      title: storableOf(referral, "headline"),
    }),
  };
}
