import type { OutboxRow } from "../../../channels/outbox/schema.ts";
import type { MessageStatus } from "../../../contracts/gateway/messages.ts";
import type { Change } from "../events/event-feed.ts";

/** A change of a message's status, for open pages. */
export const outboundChange = (
  {
    id,
    tenantId,
    accountId,
    channel,
    conversationId,
  }: Pick<OutboxRow, "id" | "tenantId" | "accountId" | "channel" | "conversationId">,
  status: MessageStatus,
): Change => ({
  about: "outbound",
  change: status === "sending" ? "pending" : status,
  tenant_id: tenantId,
  account_id: accountId,
  channel,
  message_id: id,
  ...(conversationId !== null && { conversation_id: conversationId }),
});
