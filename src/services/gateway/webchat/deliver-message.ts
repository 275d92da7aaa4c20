import type { OutboxAccount, OutboxMessage, TryOutcome } from "../../../channels/outbox/message-sender.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Query } from "../../../storage/storage.ts";
import type { GatewayStorage } from "../tables.ts";
import { bellKey, type ThreadBell } from "./thread-bell.ts";
import { appendMessage, hasMessage, lockThread } from "./thread-store.ts";

export interface DeliverPorts {
  storage: GatewayStorage;
  clock: Clock;
  newId: NewId;
  bell: ThreadBell;
}

/**
 * Puts a message of the outbox into its visitor's thread. The message keeps its id, so a second try of one that is already there changes
 * nothing.
 */
export async function deliverMessage(
  { storage, clock, newId, bell }: DeliverPorts,
  account: Pick<OutboxAccount, "id" | "tenantId">,
  { token, recipient, text = "", media }: OutboxMessage,
): Promise<TryOutcome> {
  const key = { tenantId: account.tenantId, accountId: account.id, visitor: recipient };
  const message = {
    id: token,
    side: "agente" as const,
    text,
    media: media === undefined ? [] : [media],
    ref: null,
  };
  try {
    const store = async (tx: Query) => {
      const now = clock.now();
      const thread = await lockThread(tx, storage.tables, key, { now, newId });
      if (await hasMessage(tx, storage.tables, key.tenantId, token)) return;
      await appendMessage(tx, storage.tables, thread, message, now);
    };
    await storage.transact(store, { isolation: "read committed" });
  } catch {
    // Our own database is the provider here, and knows the message by its id: a try can be repeated without risk.
    return {
      result: { action: "retry", code: "storage_unavailable", isAccountWide: false },
      channelMessageId: undefined,
    };
  }
  bell.ring(bellKey(key));
  return { result: { action: "sent" }, channelMessageId: token };
}
