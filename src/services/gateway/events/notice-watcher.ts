import { and, eq, gt, inArray, isNotNull } from "drizzle-orm";
import { mentionsIn } from "../../../contracts/gateway/desk.ts";
import type { Clock } from "../../../kit/clock.ts";
import { repeatedWorker, type Worker } from "../../../kit/worker.ts";
import type { GatewayStorage } from "../tables.ts";
import type { Change, EventFeed } from "./event-feed.ts";

const lookMs = 1_000;
/** Longer than a transaction takes, and than the clocks of two processes differ. */
const lookBackMs = 60_000;

/**
 * Tells the open streams what a person at the desk should know, whichever process stored it: the rows of the desk say all of it. What was told
 * comes once in each stream's process.
 */
export function noticeWatcher({
  storage,
  clock,
  feed,
}: {
  storage: GatewayStorage;
  clock: Clock;
  feed: EventFeed;
}): Worker {
  let told = new Set<string>();
  let isFirst = true;
  return repeatedWorker("gateway-notices", lookMs, clock, async () => {
    if (feed.readers === 0) {
      isFirst = true;
      return;
    }
    const since = new Date(clock.now().getTime() - lookBackMs);
    const notices = [...(await ofEntries(storage, since)), ...(await ofMessages(storage, since))];
    // What was there before the first reader came is no news.
    if (!isFirst) feed.publish(...notices.filter(({ id }) => !told.has(id)));
    isFirst = false;
    told = new Set(notices.map(({ id }) => id));
  });
}

type Notice = Change & { id: string };

/** Conversations that need a person, and notes that mention somebody. */
async function ofEntries({ read, tables }: GatewayStorage, since: Date): Promise<Notice[]> {
  const { deskEntries, conversations } = tables;
  const rows = await read
    .select({ entry: deskEntries, accountId: conversations.accountId, channel: conversations.channel })
    .from(deskEntries)
    .innerJoin(
      conversations,
      and(eq(conversations.id, deskEntries.conversationId), eq(conversations.tenantId, deskEntries.tenantId)),
    )
    .where(and(gt(deskEntries.at, since), inArray(deskEntries.kind, ["needs_person", "note"])));
  return rows.flatMap(({ entry: { id, tenantId, conversationId, kind, text }, accountId, channel }) => {
    const people = kind === "note" ? mentionsIn(text) : [];
    if (kind === "note" && people.length === 0) return [];
    return {
      about: "notice" as const,
      change: kind === "note" ? ("mention" as const) : ("needs_person" as const),
      id,
      people,
      tenant_id: tenantId,
      account_id: accountId,
      channel,
      conversation_id: conversationId,
    };
  });
}

/** Messages of users in conversations that somebody answers. */
async function ofMessages({ read, tables }: GatewayStorage, since: Date): Promise<Notice[]> {
  const { conversations, conversationMessages: messages, desk } = tables;
  const rows = await read
    .select({
      id: messages.id,
      conversationId: conversations.id,
      tenantId: conversations.tenantId,
      accountId: conversations.accountId,
      channel: conversations.channel,
      assignee: desk.assignee,
    })
    .from(conversations)
    .innerJoin(
      desk,
      and(eq(desk.conversationId, conversations.id), eq(desk.tenantId, conversations.tenantId)),
    )
    .innerJoin(
      messages,
      and(
        eq(messages.conversationId, conversations.id),
        eq(messages.tenantId, conversations.tenantId),
        gt(messages.at, since),
        eq(messages.direction, "inbound"),
      ),
    )
    .where(and(gt(conversations.lastMessageAt, since), isNotNull(desk.assignee)));
  return rows.map(({ id, assignee, conversationId, tenantId, accountId, channel }) => ({
    about: "notice" as const,
    change: "message" as const,
    id,
    people: assignee === null ? [] : [assignee],
    tenant_id: tenantId,
    account_id: accountId,
    channel,
    conversation_id: conversationId,
  }));
}
