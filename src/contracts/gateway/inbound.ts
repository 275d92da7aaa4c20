import { type Static, Type } from "@sinclair/typebox";
import { ChannelName } from "./channels.ts";

const count = Type.Integer({ minimum: 0 });

/** A delivered event that failed too often, or during which the process died too often. */
export const ParkedEvent = Type.Object({
  event_id: Type.String({ description: "For a message, also its id." }),
  tenant_id: Type.String(),
  channel: ChannelName,
  account_id: Type.String(),
  kind: Type.String({ description: "`message`, `status`, `echo`, `reaction` and others." }),
  failed_tries: count,
  interruptions: Type.Integer({ minimum: 0, description: "Times that the process died during it." }),
  received_at: Type.String(),
  parked_at: Type.String(),
});
export type ParkedEvent = Static<typeof ParkedEvent>;

export const ParkedEventPage = Type.Object({
  events: Type.Array(ParkedEvent),
  total: count,
  limit: Type.Integer({ minimum: 1 }),
  offset: count,
});
export type ParkedEventPage = Static<typeof ParkedEventPage>;

export const RetriedEvent = Type.Object({ event_id: Type.String(), state: Type.Literal("waiting") });
export type RetriedEvent = Static<typeof RetriedEvent>;
