import { gt } from "drizzle-orm";
import type { Clock } from "../../../kit/clock.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import type { GatewayStorage } from "../tables.ts";
import type { EventFeed } from "./event-feed.ts";

const lookMs = 1_000;
/** Longer than a transaction takes, and than the clocks of two processes differ. */
const lookBackMs = 60_000;

/** Tells the open streams of conversations in which another process on the same database stored a message. */
export function conversationWatcher({
  storage: { read, tables },
  clock,
  feed,
}: {
  storage: GatewayStorage;
  clock: Clock;
  feed: EventFeed;
}): Worker {
  let seen = new Map<string, number>();
  return repeatedWorker("gateway-watch", lookMs, clock, async () => {
    if (feed.readers === 0) return;
    const { conversations } = tables;
    const rows = await read
      .select({
        id: conversations.id,
        tenantId: conversations.tenantId,
        accountId: conversations.accountId,
        channel: conversations.channel,
        lastMessageAt: conversations.lastMessageAt,
      })
      .from(conversations)
      .where(gt(conversations.lastMessageAt, new Date(clock.now().getTime() - lookBackMs)));
    feed.publish(
      ...rows
        .filter(({ id, lastMessageAt }) => seen.get(id) !== lastMessageAt.getTime())
        .map(({ id, tenantId, accountId, channel }) => ({
          about: "conversation" as const,
          change: "message" as const,
          tenant_id: tenantId,
          account_id: accountId,
          channel,
          conversation_id: id,
        })),
    );
    seen = new Map(rows.map(({ id, lastMessageAt }) => [id, lastMessageAt.getTime()]));
  });
}
