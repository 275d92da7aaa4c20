import { type Static, Type } from "@sinclair/typebox";
import { ChannelName } from "./channels.ts";

/** Events of the ledger, in the order of a message's life. */
export const trailEventNames = [
  /** A delivery was accepted; `details.signature` says how it was verified. */
  "received",
  /** The provider delivered it again, and nothing was done. */
  "duplicate",
  "queued",
  /** An agent ran; `details` has its name, its invocation and how it ended. */
  "run",
  /** Forwarded to the binding's callback. */
  "forwarded",
  /** `related_id` is the answer; `details.by` says who wrote it. */
  "answered",
  /** Its processing failed too often. */
  "parked",
  /** An operator queued it again after it was parked. */
  "retried",
  /** Its processing ended; `details.outcome` says how. */
  "closed",
  /** One call to the provider; `details` has its outcome. */
  "attempt",
  "sent",
  "delivered",
  "read",
  "played",
  /** A user reacted to it, or removed the reaction (`details.emoji` is null); `details.rating` is what counts for the run. */
  "reacted",
  "failed",
] as const;
export type TrailEventName = (typeof trailEventNames)[number];

const nullable = Type.Union([Type.String(), Type.Null()]);

export const TrailEvent = Type.Object({
  at: Type.String(),
  event: Type.Unsafe<TrailEventName>(Type.Union(trailEventNames.map((name) => Type.Literal(name)))),
  channel_message_id: Type.Optional(Type.String()),
  related_id: Type.Optional(Type.String()),
  details: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
  ),
});
export type TrailEvent = Static<typeof TrailEvent>;

export const TrailMessage = Type.Object({
  message_id: Type.String(),
  tenant_id: nullable,
  channel: ChannelName,
  account_id: nullable,
  direction: Type.Union([Type.Literal("inbound"), Type.Literal("outbound")]),
  trace_id: Type.String({
    description: "Trace of the message in `traceparent`, the same for a message, its run and its answers.",
  }),
  address: nullable,
  channel_message_id: nullable,
  events: Type.Array(TrailEvent, { description: "Oldest first." }),
});
export type TrailMessage = Static<typeof TrailMessage>;

export const MessageTrail = Type.Object({
  messages: Type.Array(TrailMessage, { description: "Newest first." }),
  limit: Type.Integer({ minimum: 1 }),
  offset: Type.Integer({ minimum: 0 }),
});
export type MessageTrail = Static<typeof MessageTrail>;
