import type { MessageSource } from "../../../contracts/gateway/admin.ts";
import type { MessageStatus } from "../../../contracts/gateway/messages.ts";
import { isolated } from "../isolated.ts";

/** Texts of the outbox. */
export const outboxTexts = {
  title: "Outbox",
  lead: "Messages to users, newest first. The gateway tries each until the provider accepts or finally refuses it.",
  view: "Status",
  all: "All",
  none: "No messages were sent yet.",
  noneStatus: "No message has this status.",
  noMatch: "No message matches these filters.",
  message: "Message",
  to: "To",
  status: "Status",
  reason: "Reason",
  channel: "Channel",
  created: "Queued",
  tries: "Failed tries",
  actions: "Actions",
  retry: "Retry",
  retryOne: (to: string) => `Retry the message to ${isolated(to)}`,
  retried: "The message is queued again.",
  trail: "Trail",
  trailOf: (to: string) => `Trail of the message to ${isolated(to)}`,
  template: (name: string) => `Template ${isolated(name)}`,
  statuses: { pending: "Waiting", sending: "Sending", sent: "Sent", failed: "Failed" } satisfies Record<
    MessageStatus,
    string
  >,
  delivery: {
    delivered: "Delivered",
    read: "Read",
    played: "Played",
    failed: "Not delivered",
    resent: "Sent again",
    sent: "Sent",
  } as Readonly<Record<string, string>>,
  sources: {
    agent_reply: "Agent's answer",
    platform_proactive: "Sent by an agent",
    api: "Sent by a program or operator",
    inbound_forward: "Forwarded to the callback",
    desk_notice: "Notice to webhooks",
  } satisfies Record<MessageSource, string>,
};

/** Errors of the outbox by their code. */
export const reasonTexts: Readonly<Record<string, { text: string; advice?: string }>> = {
  "4": { text: "The provider's limit was reached.", advice: "It is tried again by itself." },
  "10": { text: "The account lacks a permission.", advice: "Check the permissions of its access token." },
  "130429": { text: "The provider's limit was reached.", advice: "It is tried again by itself." },
  "131026": {
    text: "The provider can't deliver to this number.",
    advice: "Check that the number uses WhatsApp.",
  },
  "131047": {
    text: "The user wrote more than 24 hours ago.",
    advice: "WhatsApp then accepts templates only. Send one.",
  },
  "131051": { text: "The provider does not support this kind of message." },
  "131056": {
    text: "Too many messages to this user in a short time.",
    advice: "It is tried again by itself.",
  },
  "190": {
    text: "The access token has expired.",
    advice: "Replace the account's credentials, then resume it.",
  },
  "400": { text: "The provider refused the message as invalid." },
  "401": {
    text: "The provider refused the token.",
    advice: "Replace the account's credentials, then resume it.",
  },
  "403": { text: "The user has blocked the account." },
  "429": { text: "The provider asked to wait.", advice: "It is tried again by itself." },
  closed_window: {
    text: "The user wrote too long ago.",
    advice: "The provider accepts answers for a limited time only. Wait until the user writes again.",
  },
  expired: { text: "It could not be sent within 24 hours.", advice: "Retry it if it still matters." },
  account_deleted: { text: "Its account was deleted." },
  taken_over: {
    text: "A person took over the conversation before it was sent.",
    advice: "Retry it if the user should still get it.",
  },
  outcome_unknown: {
    text: "The provider may or may not have accepted it.",
    advice: "Ask the user before you retry it: they might get it twice.",
  },
  interrupted: { text: "The process ended while it was sent.", advice: "It is tried again by itself." },
  credentials_unreadable: {
    text: "The account's credentials can't be opened with the sealing keys.",
    advice: "Replace the account's credentials, then resume it.",
  },
  internal: { text: "The gateway failed while it sent the message.", advice: "Look at the server's log." },
};
