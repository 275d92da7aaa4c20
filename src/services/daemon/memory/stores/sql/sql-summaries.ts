import { and, eq, isNull, lte, or } from "drizzle-orm";
import type { SessionKey, SummaryStore } from "../../../../../engine/memory/conversation.ts";
import { statement } from "../../../../../storage/statement.ts";
import type { ReadQuery, Storage } from "../../../../../storage/storage.ts";
import type { MemoryTables } from "../../conversations/schema.ts";
import { storableSummary } from "../storable-turn.ts";
import { ofSession } from "./sql-sessions.ts";

/** Running summaries of conversations in a database, stored in the sessions' rows. */
export function sqlSummaries(
  { dialect, read, tables, transact }: Storage<MemoryTables>,
  turnsAfter: SummaryStore["turnsAfter"],
): SummaryStore {
  const { sessions } = tables;
  const isSession = ({ tenant, agent, sessionId }: SessionKey) =>
    and(eq(sessions.tenant, tenant), eq(sessions.agent, agent), eq(sessions.sessionId, sessionId));
  /** Claims of this process. On SQLite there is no other one, so all others are of a dead one. */
  const own = new Set<string>();
  const nameOf = ({ tenant, agent, sessionId }: SessionKey) => JSON.stringify([tenant, agent, sessionId]);
  return {
    turnsAfter,

    async find(key) {
      const [row] = await summaryOf(read, tables).execute({ ...key });
      if (row === undefined || row.text === null || row.at === null) return undefined;
      return { text: row.text, tokenCount: row.tokenCount ?? 0, upTo: row.upTo, at: row.at };
    },

    async progress(key) {
      const [row] = await progressOf(read, tables).execute({ ...key });
      return row && { ...row, tokenCount: row.tokenCount ?? 0 };
    },

    async claim(key, now, until) {
      const isOver = or(isNull(sessions.claimedUntil), lte(sessions.claimedUntil, now));
      const name = nameOf(key);
      const isFirst = !own.has(name);
      own.add(name);
      const isFree = dialect === "sqlite" && isFirst ? undefined : isOver;
      const [row] = await transact((tx) =>
        tx
          .update(sessions)
          .set({ claimedUntil: until })
          .where(and(isSession(key), isFree))
          .returning({
            life: sessions.life,
            lastSeq: sessions.lastSeq,
            upTo: sessions.summaryUpTo,
            text: sessions.summary,
          }),
      );
      if (row === undefined) {
        if (isFirst) own.delete(name);
        return undefined;
      }
      return { ...row, text: row.text ?? "", until };
    },

    async save(key, claim, summary) {
      const { text, tokenCount, upTo, at } = storableSummary(summary);
      const saved = await transact((tx) =>
        tx
          .update(sessions)
          .set({ summary: text, summaryTokens: tokenCount, summaryUpTo: upTo, summaryAt: at })
          .where(and(isSession(key), eq(sessions.life, claim.life), eq(sessions.summaryUpTo, claim.upTo)))
          .returning({ life: sessions.life }),
      );
      if (saved.length === 0) return false;
      Object.assign(claim, { upTo, text });
      return true;
    },

    async release(key, { life, until }) {
      own.delete(nameOf(key));
      await transact((tx) =>
        tx
          .update(sessions)
          .set({ claimedUntil: null })
          .where(and(isSession(key), eq(sessions.life, life), eq(sessions.claimedUntil, until))),
      );
    },
  };
}

const summaryOf = statement((query: ReadQuery, tables: MemoryTables) => {
  const { summary: text, summaryTokens: tokenCount, summaryUpTo: upTo, summaryAt: at } = tables.sessions;
  return query
    .select({ text, tokenCount, upTo, at })
    .from(tables.sessions)
    .where(ofSession(tables.sessions))
    .prepare("summary_of_session");
});

const progressOf = statement((query: ReadQuery, tables: MemoryTables) => {
  const { lastSeq, summaryUpTo: upTo, summaryTokens: tokenCount } = tables.sessions;
  return query
    .select({ lastSeq, upTo, tokenCount })
    .from(tables.sessions)
    .where(ofSession(tables.sessions))
    .prepare("progress_of_session");
});
