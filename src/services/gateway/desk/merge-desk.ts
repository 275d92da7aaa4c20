import { and, eq, inArray, sql } from "drizzle-orm";
import type { Query } from "../../../storage/storage.ts";
import type { DeskTables } from "./schema.ts";
import { notePersonSeen, saveDesk } from "./store.ts";

/** A conversation that is merged, and up to where operators who aren't named have read it. */
interface MergedConversation {
  id: string;
  seenAt: Date | null;
}

/** Gives what the desk knows of a conversation to the one that it becomes part of. */
export async function mergeDesk(
  tx: Query,
  tables: DeskTables,
  tenantId: string,
  kept: MergedConversation,
  gone: MergedConversation,
): Promise<void> {
  const { deskEntries } = tables;
  await mergeDecisions(tx, tables, tenantId, kept.id, gone.id);
  await tx
    .update(deskEntries)
    .set({ conversationId: kept.id })
    .where(and(eq(deskEntries.tenantId, tenantId), eq(deskEntries.conversationId, gone.id)))
    .returning({ id: deskEntries.id });
  await mergeSeen(tx, tables, tenantId, kept, gone);
  await mergeWords(tx, tables, tenantId, kept.id, gone.id);
}

/** The two have the labels of both. Work is left if either has some, and what asks for a person goes on asking. */
async function mergeDecisions(
  tx: Query,
  tables: DeskTables,
  tenantId: string,
  keptId: string,
  goneId: string,
): Promise<void> {
  const { desk } = tables;
  const rows = await tx
    .select()
    .from(desk)
    .where(and(eq(desk.tenantId, tenantId), inArray(desk.conversationId, [keptId, goneId])));
  const two = rows.find((row) => row.conversationId === goneId);
  if (two === undefined && rows.length === 0) return;
  const one = rows.find((row) => row.conversationId === keptId);
  await tx
    .delete(desk)
    .where(and(eq(desk.tenantId, tenantId), eq(desk.conversationId, goneId)))
    .returning({ id: desk.conversationId });
  // A conversation without a row is open.
  const states = [one?.state ?? "open", two?.state ?? "open"];
  const state = (["open", "snoozed", "resolved"] as const).find((name) => states.includes(name)) ?? "open";
  const until = [one, two]
    .flatMap((row) => (row?.state === "snoozed" && row.snoozedUntil) || [])
    .sort(byTime);
  const asking = [one, two]
    .flatMap((row) => (row?.needsSince ? [{ reason: row.needsReason, since: row.needsSince }] : []))
    .sort((a, b) => byTime(a.since, b.since));
  await saveDesk(
    tx,
    tables,
    { tenantId, conversationId: keptId },
    {
      assignee: one?.assignee ?? two?.assignee ?? null,
      labels: [...new Set([...(one?.labels ?? []), ...(two?.labels ?? [])])],
      state,
      snoozedUntil: state === "snoozed" ? (until[0] ?? null) : null,
      needsReason: asking[0]?.reason ?? null,
      needsSince: asking[0]?.since ?? null,
    },
  );
}

const byTime = (a: Date, b: Date): number => a.getTime() - b.getTime();

/** A message that a person has not read stays unread. */
async function mergeSeen(
  tx: Query,
  tables: DeskTables,
  tenantId: string,
  kept: MergedConversation,
  gone: MergedConversation,
): Promise<void> {
  const { deskSeen } = tables;
  const isOfBoth = and(eq(deskSeen.tenantId, tenantId), inArray(deskSeen.conversationId, [kept.id, gone.id]));
  const rows = await tx.delete(deskSeen).where(isOfBoth).returning();
  const seenIn = ({ id, seenAt }: MergedConversation, person: string): Date | null =>
    rows.find((row) => row.conversationId === id && row.person === person)?.seenAt ?? seenAt;
  for (const person of new Set(rows.map((row) => row.person))) {
    const [one, two] = [seenIn(kept, person), seenIn(gone, person)];
    if (one === null || two === null) continue;
    const seenAt = one < two ? one : two;
    await notePersonSeen(tx, tables, { conversationId: kept.id, tenantId, person, seenAt });
  }
}

async function mergeWords(
  tx: Query,
  { messageWords: words }: DeskTables,
  tenantId: string,
  keptId: string,
  goneId: string,
): Promise<void> {
  const isGone = and(eq(words.tenantId, tenantId), eq(words.conversationId, goneId));
  await tx
    .insert(words)
    .select(
      sql`select ${words.word}, ${words.tenantId}, ${keptId}, ${words.at} from ${words} where ${isGone}`,
    )
    .onConflictDoUpdate({
      target: [words.word, words.tenantId, words.conversationId],
      set: { at: sql`excluded.at` },
      setWhere: sql`excluded.at > ${words.at}`,
    })
    .returning({ word: words.word });
  await tx.delete(words).where(isGone).returning({ word: words.word });
}
