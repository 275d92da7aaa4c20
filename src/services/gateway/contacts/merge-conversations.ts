import { and, asc, eq, inArray, isNotNull, ne, notInArray } from "drizzle-orm";
import { laneOf, promoteLanes } from "../../../channels/outbox/settle-messages.ts";
import type { NewId } from "../../../kit/id.ts";
import { isPostgres } from "../../../storage/json-rows.ts";
import type { Query } from "../../../storage/storage.ts";
import { mergeDesk } from "../desk/merge-desk.ts";
import { failWaiting } from "../outbox/fail-waiting.ts";
import type { GatewayTables } from "../tables.ts";
import { noteMerged } from "./merged-ids.ts";

type ConversationRow = GatewayTables["conversations"]["$inferSelect"];

/**
 * Makes two conversations of one account one: the older stays, and the other's id stands for it. A person who holds either holds both. The
 * agent goes on in the session of the later activity, and answers go where that was.
 */
export async function mergeConversations(
  tx: Query,
  tables: GatewayTables,
  newId: NewId,
  { tenantId, ids }: { tenantId: string; ids: readonly [string, string] },
  now: Date,
  contactId: string,
): Promise<void> {
  const { conversations, conversationMessages, inbound, mediaFiles, outbox } = tables;
  const query = tx
    .select()
    .from(conversations)
    .where(and(eq(conversations.tenantId, tenantId), inArray(conversations.id, [...ids])))
    .orderBy(asc(conversations.id));
  if (isPostgres(conversations)) query.for("update");
  const [one, two] = await query;
  if (one === undefined || two === undefined) return;
  const [kept, gone] = one.createdAt <= two.createdAt ? [one, two] : [two, one];
  const toKept = { conversationId: kept.id };
  await tx
    .update(conversationMessages)
    .set(toKept)
    .where(and(eq(conversationMessages.tenantId, tenantId), eq(conversationMessages.conversationId, gone.id)))
    .returning({ id: conversationMessages.id });
  await tx
    .update(inbound)
    .set(toKept)
    .where(and(eq(inbound.tenantId, tenantId), eq(inbound.conversationId, gone.id)))
    .returning({ id: inbound.id });
  await tx
    .update(outbox)
    .set(toKept)
    .where(and(eq(outbox.tenantId, tenantId), eq(outbox.conversationId, gone.id)))
    .returning({ id: outbox.id });
  await tx
    .update(mediaFiles)
    .set(toKept)
    .where(and(eq(mediaFiles.tenantId, tenantId), eq(mediaFiles.conversationId, gone.id)))
    .returning({ id: mediaFiles.id });
  const { groupSpeakers } = tables;
  await tx
    .update(groupSpeakers)
    .set(toKept)
    .where(and(eq(groupSpeakers.tenantId, tenantId), eq(groupSpeakers.conversationId, gone.id)))
    .returning({ id: groupSpeakers.messageId });
  await mergeDesk(tx, tables, tenantId, kept, gone);
  await tx
    .delete(conversations)
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, gone.id)))
    .returning({ id: conversations.id });
  const merged = mergedRow(kept, gone);
  const sessionId = merged.sessionId === kept.sessionId ? gone.sessionId : kept.sessionId;
  await noteMerged(tx, tables, { of: "conversation", tenantId, id: gone.id, intoId: kept.id, sessionId });
  await tx
    .update(conversations)
    .set({ ...merged, contactId })
    .where(and(eq(conversations.tenantId, tenantId), eq(conversations.id, kept.id)))
    .returning({ id: conversations.id });
  const { accountId } = kept;
  const which = and(eq(outbox.conversationId, kept.id), eq(outbox.source, "agent_reply"));
  if (merged.mode === "human")
    await failWaiting(tx, tables, newId, { tenantId, accountId, which, error: "taken_over" }, now);
  await moveWaiting(tx, tables, { ...kept, ...merged });
}

/** What the two conversations are together. */
function mergedRow(kept: ConversationRow, gone: ConversationRow) {
  const late = isServedLater(kept, gone) ? kept : gone;
  const active = kept.lastMessageAt >= gone.lastMessageAt ? kept : gone;
  const recipient = active.recipient ?? active.externalUser;
  const seen = [kept.seenAt, gone.seenAt];
  const [first, second] = seen;
  return {
    sessionId: late.sessionId,
    agentName: late.agentName,
    handoffAgent: late.handoffAgent,
    openedAt: late.openedAt,
    mode: kept.mode === "human" || gone.mode === "human" ? ("human" as const) : ("bot" as const),
    recipient: recipient === kept.externalUser ? null : recipient,
    contactName: active.contactName ?? kept.contactName ?? gone.contactName,
    unreachableAt: active.unreachableAt,
    lastMessageAt: active.lastMessageAt,
    begunAt: earlier(kept.begunAt, gone.begunAt),
    answeredAt: earlier(kept.answeredAt, gone.answeredAt),
    csatAskedAt: active.csatAskedAt,
    // A message that nobody has read stays unread.
    seenAt: first && second ? (first < second ? first : second) : null,
  };
}

const earlier = (one: Date | null, other: Date | null) =>
  one === null || (other !== null && other < one) ? other : one;

/** A conversation without a session of an agent has none to go on with. */
function isServedLater(one: ConversationRow, other: ConversationRow): boolean {
  if ((one.openedAt === null) !== (other.openedAt === null)) return one.openedAt !== null;
  return one.lastMessageAt >= other.lastMessageAt;
}

/** Sends what waits of a conversation to where its user is now, in the order in which it was queued. */
export async function moveWaiting(
  tx: Query,
  tables: GatewayTables,
  {
    id,
    tenantId,
    accountId,
    recipient,
    externalUser,
  }: Pick<ConversationRow, "id" | "tenantId" | "accountId" | "recipient" | "externalUser">,
): Promise<void> {
  const { outbox } = tables;
  const to = recipient ?? externalUser;
  const lane = laneOf({ accountId, recipient: to, source: "api" });
  const which = and(
    eq(outbox.tenantId, tenantId),
    eq(outbox.conversationId, id),
    isNotNull(outbox.lane),
    notInArray(outbox.source, ["inbound_forward", "desk_notice"]),
    ne(outbox.recipient, to),
  );
  const before = await tx.select({ lane: outbox.lane }).from(outbox).where(which);
  if (before.length === 0) return;
  await tx.update(outbox).set({ recipient: to, lane }).where(which).returning({ id: outbox.id });
  await promoteLanes(tx, tables, [lane, ...before.flatMap((row) => (row.lane === null ? [] : [row.lane]))]);
}
