import type { TrailEventName } from "../../../contracts/gateway/trail.ts";
import { counted } from "../counted.ts";
import { isolated } from "../isolated.ts";

const outcomes: Readonly<Record<string, string>> = {
  answered: "The agent answered",
  silent: "The agent ran and had nothing to say",
  fallback: "The run failed; the fallback message is sent",
  failed: "The run failed, and there is no fallback message",
  human: "Left to the person who has taken over",
  unbound: "Nobody answers this account",
  empty: "The message has no text, answer or file",
  limited: "Too many automatic replies within a minute; this one was left out",
  stale: "Too old to be answered",
  parked: "Given up after five failed tries",
  account_deleted: "The account was deleted",
};

const reactionOutcomes: Readonly<Record<string, string>> = {
  reaction: "No agent wrote this message, so it counts for no run",
  unknown_run: "The platform no longer has the run",
  feedback_refused: "Not counted: the platform refused the tenant's key",
  feedback_lost: "Not counted: the platform could not be reached for a day",
};

const attempts: Readonly<Record<string, string>> = {
  sent: "The provider accepted it",
  continue: "The provider accepted one part of it",
  retry: "The provider refused it for now",
  final: "The provider refused it for good",
  pause: "The provider refused the account",
  unknown: "The provider gave no clear answer",
};

/** Texts of the message trail. */
export const trailTexts = {
  title: "Message trail",
  lead: "Where is my message? Find what became of it by any id, or by a user's address.",
  field: "Message id, provider's id, or address",
  find: "Find",
  startTitle: "Find a message",
  start:
    "Enter the id that a program got, the id that the provider shows, or the address of a user: a phone number, a chat id or a visitor's id.",
  noneTitle: "Nothing found",
  none: (id: string) =>
    `No message has the id or address ${isolated(id)}. Messages are kept for 90 days, delivered ones for 30 days.`,
  found: (count: number) => counted(count, "message"),
  inbound: "From the user",
  outbound: "To the user",
  more: "Show more",
  retry: "Process again",
  retried: "The message is processed again.",
  openConversation: "Open the conversation",
  openRun: "Open the run",
  related: "Its answer",
  ids: "Ids",
  messageId: "Message id",
  providerId: "Provider's id",
  address: "Address",
  after: (duration: string) => `+${duration}`,
  tries: (count: number) => counted(count, "failed try").replace("trys", "tries"),
  events: {
    received: "Received from the provider",
    duplicate: "Delivered again, and ignored",
    queued: "Put into the outbox",
    run: "The agent ran",
    forwarded: "Forwarded to the callback",
    answered: "An answer was queued",
    parked: "Given up after too many failed tries",
    retried: "Queued again by an operator",
    closed: "Closed without an answer",
    attempt: "Tried",
    sent: "Sent to the provider",
    delivered: "Delivered to the user",
    read: "Read by the user",
    played: "Played by the user",
    reacted: "The user reacted",
    failed: "Failed for good",
  } satisfies Record<TrailEventName, string>,
  unreacted: "The user removed the reaction",
  /** Effect of a reaction on the run that wrote the message. */
  rating: (rating: unknown, outcome: string | undefined) =>
    (outcome === undefined ? undefined : reactionOutcomes[outcome]) ??
    (rating === "up" ? "Good answer" : rating === "down" ? "Bad answer" : "Neither good nor bad"),
  outcome: (outcome: string) => outcomes[outcome] ?? outcome,
  attempt: (outcome: string) => attempts[outcome] ?? outcome,
};
