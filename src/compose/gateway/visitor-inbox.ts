import type { NewId } from "../../kit/id.ts";
import { addMessage, findConversationWith } from "../../services/gateway/conversations/store.ts";
import type { GatewayStorage } from "../../services/gateway/tables.ts";
import type { VisitorInbox } from "../../services/gateway/webchat/receive-message.ts";

/** Notes visitors' messages in their conversations, where operators read and answer them. */
export const createVisitorInbox = ({
  storage: { tables },
  newId,
}: {
  storage: GatewayStorage;
  newId: NewId;
}): VisitorInbox => ({
  async accept(tx, { tenantId, accountId, visitor, messageId, text, at }) {
    const key = { tenantId, accountId, externalUser: visitor };
    const known = await findConversationWith(tx, tables, key);
    const conversationId = known?.id ?? newId();
    if (known === undefined) {
      await tx.insert(tables.conversations).values({
        id: conversationId,
        ...key,
        channel: "webchat",
        sessionId: `webchat__${accountId}__${visitor}`,
        agentName: null,
        contactName: null,
        mode: "bot",
        lastMessageAt: at,
        createdAt: at,
      });
    }
    const message = { id: messageId, tenantId, conversationId, channel: "webchat" as const, at };
    await addMessage(tx, tables, {
      ...message,
      direction: "inbound",
      kind: "text",
      text,
      media: [],
      channelMessageId: messageId,
    });
  },
  ring: () => undefined,
});
