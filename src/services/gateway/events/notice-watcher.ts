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
  /** When nobody read for the last time: what was there before is no news. */
  let newsFrom = clock.now();
  return repeatedWorker("gateway-notices", lookMs, clock, async () => {
    if (feed.readers === 0) {
      newsFrom = clock.now();
      return;
    }
    const since = new Date(clock.now().getTime() - lookBackMs);
    const found = [...(await ofEntries(storage, since)), ...(await ofMessages(storage, since))];
    const news = found.filter(({ at, notice }) => at > newsFrom && !told.has(notice.id));
    feed.publish(...news.map(({ notice }) => notice));
    told = new Set(found.map(({ notice }) => notice.id));
  });
}

/** What is told of a row, and when the row was stored. */
interface Found {
  at: Date;
  notice: Change & { id: string };
}

/** Conversations that need a person, and notes that mention somebody. */
async function ofEntries({ read, tables }: GatewayStorage, since: Date): Promise<Found[]> {
  const { deskEntries, conversations } = tables;
  const rows = await read
    .select({ entry: deskEntries, accountId: conversations.accountId, channel: conversations.channel })
    .from(deskEntries)
    .innerJoin(
      conversations,
      and(eq(conversations.id, deskEntries.conversationId), eq(conversations.tenantId, deskEntries.tenantId)),
    )
    .where(and(gt(deskEntries.at, since), inArray(deskEntries.kind, ["needs_person", "note"])));
  return rows.flatMap(({ entry: { id, at, tenantId, conversationId, kind, text }, accountId, channel }) => {
    const people = kind === "note" ? mentionsIn(text) : [];
    if (kind === "note" && people.length === 0) return [];
    const notice = {
      about: "notice" as const,
      change: kind === "note" ? ("mention" as const) : ("needs_person" as const),
      id,
      people,
      tenant_id: tenantId,
      account_id: accountId,
      channel,
      conversation_id: conversationId,
    };
    return [{ at, notice }];
  });
}

/** Messages of users in conversations that somebody answers. */
async function ofMessages({ read, tables }: GatewayStorage, since: Date): Promise<Found[]> {
  const { conversations, conversationMessages: messages, desk } = tables;
  const rows = await read
    .select({
      id: messages.id,
      at: messages.at,
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
  return rows.map(({ id, at, assignee, conversationId, tenantId, accountId, channel }) => ({
    at,
    notice: {
      about: "notice" as const,
      change: "message" as const,
      id,
      people: assignee === null ? [] : [assignee],
      tenant_id: tenantId,
      account_id: accountId,
      channel,
      conversation_id: conversationId,
    },
  }));
}
