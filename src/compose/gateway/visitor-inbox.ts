import type { Address, MessageEvent } from "../../channels/inbound/inbound-event.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { NewId } from "../../kit/id.ts";
import { inboundRow } from "../../services/gateway/inbound/event-row.ts";
import type { InboundRoom } from "../../services/gateway/inbound/inbound-room.ts";
import { keepEventsIn } from "../../services/gateway/inbound/keep-events.ts";
import type { OutboxBell } from "../../services/gateway/outbox/outbox-bell.ts";
import type { GatewayStorage } from "../../services/gateway/tables.ts";
import type { InboundChat, VisitorInbox } from "../../services/gateway/webchat/receive-message.ts";

export interface VisitorInboxParts {
  storage: GatewayStorage;
  newId: NewId;
  clock: Clock;
  inboundRoom: InboundRoom;
  inboundBell: OutboxBell;
}

/** Puts visitors' messages where the messages of all channels wait for their agent. */
export const createVisitorInbox = ({
  storage: { tables },
  newId,
  clock,
  inboundRoom,
  inboundBell,
}: VisitorInboxParts): VisitorInbox => ({
  async accept(tx, message) {
    const { accountId: id, tenantId, proof } = message;
    const now = clock.now();
    const row = inboundRow(eventOf(message), { id, tenantId, channel: "webchat" }, proof, { now, newId });
    const { added } = await keepEventsIn(tx, tables, [row], inboundRoom);
    if (added.size === 0) throw full();
  },
  ring: () => inboundBell.ring(),
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
