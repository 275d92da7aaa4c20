import type { Address, MessageEvent, ReactionEvent } from "../../channels/inbound/inbound-event.ts";
import { inboundRow } from "../../channels/inbox/event-row.ts";
import { keepEventsIn } from "../../channels/inbox/keep-events.ts";
import type { OutboxBell } from "../../channels/outbox/outbox-bell.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import type { InboundRoom } from "../../services/gateway/inbound/inbound-room.ts";
import type { InboundRow } from "../../services/gateway/inbound/schema.ts";
import type { StorageRoom } from "../../services/gateway/room/storage-room.ts";
import type { GatewayStorage } from "../../services/gateway/tables.ts";
import type {
  InboundChat,
  InboundRating,
  VisitorInbox,
} from "../../services/gateway/webchat/receive-message.ts";
import type { Query } from "../../storage/storage.ts";

export interface VisitorInboxParts {
  storage: GatewayStorage;
  newId: NewId;
  clock: Clock;
  storageRoom: StorageRoom;
  inboundRoom: InboundRoom;
  inboundBell: OutboxBell;
}

/** Puts visitors' messages and ratings where the messages of all channels wait for their agent. */
export const createVisitorInbox = ({
  storage: { tables },
  newId,
  clock,
  storageRoom,
  inboundRoom,
  inboundBell,
}: VisitorInboxParts): VisitorInbox => {
  const keep = async (tx: Query, row: InboundRow) => {
    if (await storageRoom.isShut(tx, row.tenantId)) throw full();
    const { added } = await keepEventsIn(tx, tables, [row], inboundRoom);
    if (added.size === 0) throw full();
  };
  const rowOf = (
    event: MessageEvent | ReactionEvent,
    { accountId: id, tenantId, proof }: InboundChat | InboundRating,
  ) => inboundRow(event, { id, tenantId, channel: "webchat" }, { proof, now: clock.now() }, newId);
  return {
    accept: (tx, message) => keep(tx, rowOf(eventOf(message), message)),
    // Ratings of an answer are ordered by their times, which may be a millisecond ahead of the clock.
    acceptRating: (tx, rating) =>
      keep(tx, { ...rowOf(ratingEvent(rating, newId()), rating), sentAt: rating.at }),
    ring: () => inboundBell.ring(),
  };
};

const ratingEvent = (
  { account, visitor, messageId, emoji, at }: InboundRating,
  dedupeKey: string,
): ReactionEvent => ({
  type: "reaction",
  account,
  dedupeKey,
  address: { kind: "id", address: visitor },
  about: messageId,
  ...(emoji !== undefined && { emoji }),
  at,
});

function eventOf({ account, visitor, messageId, text, at }: InboundChat): MessageEvent {
  const sender: Address = { kind: "id", address: visitor };
  return {
    type: "message",
    account,
    dedupeKey: messageId,
    messageId,
    conversation: { address: sender, key: visitor, isGroup: false },
    sender,
    sentAt: at,
    isForwarded: false,
    kind: "text",
    text,
    media: [],
  };
}

const full = () =>
  new AppError("unavailable", "too_busy", "Too many messages wait for an answer; send it again later.", {
    details: { retryAfterSeconds: 60 },
  });
