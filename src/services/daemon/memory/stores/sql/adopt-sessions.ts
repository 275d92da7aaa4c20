import { sql } from "drizzle-orm";
import type { Storage } from "../../../../../storage/storage.ts";
import type { MemoryTables } from "../../conversations/schema.ts";

/** Adds the session rows that turns written by an earlier version lack. Otherwise costs two short reads. */
export async function adoptSessions({ read, tables, transact }: Storage<MemoryTables>): Promise<void> {
  const { sessions, turns } = tables;
  const [session] = await read.select({ life: sessions.life }).from(sessions).limit(1);
  if (session !== undefined) return;
  const [turn] = await read.select({ seq: turns.seq }).from(turns).limit(1);
  if (turn === undefined) return;
  await transact(async (tx) => {
    await tx
      .insert(sessions)
      .select(
        tx
          .select({
            tenant: turns.tenant,
            agent: turns.agent,
            sessionId: turns.sessionId,
            life: sql<string>`'adopted'`.as("life"),
            lastSeq: sql<number>`max(${turns.seq})`.as("last_seq"),
            turns: sql<number>`count(*)`.as("turns"),
            tokens: sql<number>`sum(${turns.tokenCount})`.as("tokens"),
            firstAt: sql<Date>`min(${turns.at})`.as("first_at"),
            lastAt: sql<Date>`max(${turns.at})`.as("last_at"),
            summary: sql<string | null>`null`.as("summary"),
            summaryTokens: sql<number | null>`null`.as("summary_tokens"),
            summaryUpTo: sql<number>`0`.as("summary_up_to"),
            summaryAt: sql<Date | null>`null`.as("summary_at"),
            claimedUntil: sql<Date | null>`null`.as("claimed_until"),
          })
          .from(turns)
          .groupBy(turns.tenant, turns.agent, turns.sessionId),
      )
      .onConflictDoNothing();
  });
}
