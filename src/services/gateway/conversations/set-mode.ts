import { and, eq } from "drizzle-orm";
import type { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import { laneOf, promoteLanes } from "../../../channels/outbox/settle-messages.ts";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import type { DeskActor } from "../auth/desk-credential.ts";
import { answeredByPerson, noteEntry } from "../desk/store.ts";
import type { EventFeed } from "../events/event-feed.ts";
import { reopenLast } from "../inbound/reopen-last.ts";
import { failWaiting } from "../outbox/fail-waiting.ts";
import { outboundChange } from "../outbox/outbound-change.ts";
import type { GatewayStoreDeps } from "../tables.ts";
import {
  type ConversationRow,
  getDeskConversation,
  lockConversation,
  noConversation,
  showConversation,
} from "./store.ts";

export interface ModePorts extends GatewayStoreDeps {
  bell: OutboxBell;
  /** Wakes the processing of delivered events. */
  inboundBell: OutboxBell;
  feed: EventFeed;
}

/**
 * Hands a conversation to people, or back to its agent, which then answers the user's last message if nobody did. What its agent said and
 * no provider has yet becomes `failed`, `taken_over`: a person answers now. Throws 404.
 */
export async function setMode(
  { storage, clock, newId, bell, inboundBell, feed }: ModePorts,
  id: string,
  mode: ConversationRow["mode"],
  by: DeskActor,
): Promise<Conversation> {
  const { tables } = storage;
  const { conversations, outbox } = tables;
  let isReopened = false;
  const { row, failed } = await storage.transact(
    async (tx) => {
      const { tenantId } = await getDeskConversation(tx, tables, by, id);
      const before = await lockConversation(tx, tables, tenantId, id);
      if (before === undefined) throw noConversation(id);
      const conversationId = before.id;
      const [row] = await tx
        .update(conversations)
        .set({ mode })
        .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, conversationId)))
        .returning();
      if (row === undefined) throw noConversation(id);
      const key = { tenantId, conversationId };
      await answeredByPerson(tx, tables, key);
      const kind = mode === "human" ? "takeover" : "release";
      await noteEntry(tx, tables, newId, key, { kind, by: by.person, text: "", at: clock.now() });
      if (mode === "bot") {
        if (before.mode === "human") isReopened = await reopenLast(tx, tables, row, clock.now());
        return { row, failed: [] };
      }
      const { accountId } = row;
      const recipient = row.recipient ?? row.externalUser;
      const lane = laneOf({ accountId, recipient, source: "agent_reply" });
      const which = and(eq(outbox.conversationId, row.id), eq(outbox.source, "agent_reply"));
      const failing = { tenantId, accountId, which, error: "taken_over" } as const;
      const failed = await failWaiting(tx, tables, newId, failing, clock.now());
      await promoteLanes(tx, tables, [lane]);
      return { row, failed };
    },
    // The conversation's row orders this and the answers that are queued at the same time.
    { isolation: "read committed" },
  );
  if (isReopened) inboundBell.ring();
  if (failed.length > 0) bell.ring();
  feed.publish(...failed.map((message) => outboundChange(message, "failed")));
  return showConversation(storage.read, tables, row, clock.now());
}
