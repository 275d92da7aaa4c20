import { type Static, Type } from "@sinclair/typebox";
import { ChannelName } from "./channels.ts";

/** Changes that operators' pages follow, by what changed. */
export const gatewayChanges = {
  /** A delivered message: stored, delivered again, given to its agent, closed. */
  inbound: ["received", "duplicate", "running", "closed"],
  /** A message of the outbox: queued, its new status after a try, the provider's report, or a user's reaction. */
  outbound: ["queued", "pending", "sent", "failed", "delivered", "read", "played", "reaction"],
  /** A conversation: a new message in it, who answers it, that an operator read it, what the desk decided or noted, and its end. */
  conversation: ["message", "mode", "seen", "desk", "forgotten"],
  /** What a person at the desk should know: a conversation needs one, its user wrote to the assignee, or a note mentions somebody. */
  notice: ["needs_person", "message", "mention"],
  /** The stream itself: from now on, no change is missed. */
  stream: ["open"],
  /** An account: saved, deleted, paused or resumed. */
  account: ["saved", "deleted", "paused", "resumed"],
} as const;

export type GatewaySubject = keyof typeof gatewayChanges;
export type GatewayChange = (typeof gatewayChanges)[GatewaySubject][number];

const subjects = Object.keys(gatewayChanges) as GatewaySubject[];
const changes = [...new Set(Object.values(gatewayChanges).flat())];

/** One change. It names what to read again and carries no text of a message. */
export const GatewayEvent = Type.Object({
  at: Type.String({ description: "ISO 8601 UTC." }),
  about: Type.Unsafe<GatewaySubject>(Type.Union(subjects.map((subject) => Type.Literal(subject)))),
  change: Type.Unsafe<GatewayChange>(Type.Union(changes.map((change) => Type.Literal(change)))),
  tenant_id: Type.Optional(Type.String()),
  account_id: Type.Optional(Type.String()),
  channel: Type.Optional(ChannelName),
  message_id: Type.Optional(Type.String({ description: "Id of the message, for messages." })),
  conversation_id: Type.Optional(Type.String({ description: "Its conversation, if it is known." })),
  id: Type.Optional(Type.String({ description: "Of a notice: the same if it comes again." })),
  people: Type.Optional(
    Type.Array(Type.String(), {
      description:
        "Of a notice: whom it concerns, as the note or the conversation names them; empty: the whole desk.",
    }),
  ),
});
export type GatewayEvent = Static<typeof GatewayEvent>;
