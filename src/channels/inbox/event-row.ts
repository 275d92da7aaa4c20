import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { NewId } from "../../kit/id.ts";
import type { DeliveryProof } from "../channel.ts";
import type { InboundEvent } from "../inbound/inbound-event.ts";
import type { InboxRow, StoredEvent } from "./schema.ts";

/** Events that are stored. An ignored one is stored only if it says what it is about. */
export type KeptEvent = Exclude<InboundEvent, { type: "ignored" }> | KeptRecord;
type KeptRecord = Extract<InboundEvent, { type: "ignored" }> & Required<Pick<Ignored, "record">>;
type Ignored = Extract<InboundEvent, { type: "ignored" }>;

/** A message older than this is stored, but starts nothing: providers redeliver for up to seven days. */
export const answeredWithinMs = 8 * 24 * 60 * 60_000;

export function isKept(event: InboundEvent): event is KeptEvent {
  return event.type !== "ignored" || event.record !== undefined;
}

/** How an event came: by a webhook with its proof, by a program with the admin token, or by a visitor with a token. */
export type EventProof = DeliveryProof | "admin-token" | "visitor-token";

/** Facts about an event's arrival. */
export interface Arrival {
  proof: EventProof;
  now: Date;
  /** Age from which a message starts nothing. */
  staleMs?: number;
}

/** Returns an event of an account as it is stored. */
export function inboundRow(
  event: KeptEvent,
  { id: accountId, tenantId, channel }: { id: string; tenantId: string; channel: ChannelName },
  { proof, now, staleMs = answeredWithinMs }: Arrival,
  newId: NewId,
): InboxRow & { plan: null } {
  const at = instantOf(event);
  const isStale = event.type === "message" && at !== undefined && now.getTime() - at.getTime() > staleMs;
  const { kind, key, lane } = placeOf(event);
  return {
    id: newId(),
    tenantId,
    channel,
    accountId,
    kind,
    // Two events of one update may have the same key.
    dedupeKey: `${kind}:${key}`,
    // Written as JSON, like all of the column.
    event: { ...event, proof } as unknown as StoredEvent,
    channelMessageId: "messageId" in event ? event.messageId : null,
    lane: isStale ? null : `${accountId}:${lane}`,
    state: isStale ? "done" : "waiting",
    tries: 0,
    interruptions: 0,
    dueAt: now,
    // A provider's clock may be ahead of ours.
    sentAt: at === undefined || at > now ? now : at,
    receivedAt: now,
    owner: null,
    attemptId: null,
    leaseUntil: null,
    conversationId: null,
    plan: null,
    invocationId: null,
    outcome: isStale ? "stale" : null,
    closedAt: isStale ? now : null,
  };
}

/** Kind, key and lane of an event. What concerns one conversation is processed in order, what concerns one sent message beside it. */
function placeOf(event: KeptEvent): { kind: string; key: string; lane: string } {
  switch (event.type) {
    case "message":
      return { kind: "message", key: event.dedupeKey, lane: `c:${event.conversation.key}` };
    case "status":
      return { kind: "status", key: event.dedupeKey, lane: `m:${event.messageId}` };
    case "echo":
      return { kind: "echo", key: event.dedupeKey, lane: `c:${event.recipient.address}` };
    case "moved":
      return { kind: "moved", key: event.dedupeKey, lane: `c:${event.from.address}` };
    case "reaction":
      // Beside the conversation, so that no run holds it up.
      return {
        kind: "reaction",
        key: event.dedupeKey,
        lane: `r:${event.chat ?? event.address.address}`,
      };
    case "identity":
    case "reachable":
      return { kind: event.type, key: event.dedupeKey, lane: `c:${event.address.address}` };
    case "ignored": {
      const { dedupeKey, address } = event.record;
      return { kind: "record", key: `${event.reason}:${dedupeKey}`, lane: `c:${address?.address ?? ""}` };
    }
  }
}

/** Returns the lane of an event that is open again. */
export const laneOf = (row: Pick<InboxRow, "accountId" | "event">): string =>
  `${row.accountId}:${placeOf(storedEvent(row)).lane}`;

function instantOf(event: KeptEvent): Date | undefined {
  if (event.type === "ignored") return event.record.at;
  return event.type === "message" || event.type === "echo" ? event.sentAt : event.at;
}

/** Returns a stored event with its instants. */
export function storedEvent({ event }: Pick<InboxRow, "event">): KeptEvent {
  const revived = { ...event } as Record<string, unknown>;
  for (const name of ["sentAt", "at"])
    if (typeof revived[name] === "string") revived[name] = new Date(revived[name]);
  const { record } = revived;
  if (typeof record === "object" && record !== null) {
    const at = Reflect.get(record, "at");
    revived.record = { ...record, at: typeof at === "string" ? new Date(at) : undefined };
  }
  return revived as unknown as KeptEvent;
}
