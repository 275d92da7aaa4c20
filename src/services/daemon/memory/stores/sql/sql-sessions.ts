import { and, asc, desc, eq, gt, inArray, lt, lte, or } from "drizzle-orm";
import type { AgentKey, ConversationArchive } from "../../../../../engine/memory/conversation.ts";
import { equalsBound } from "../../../../../storage/statement.ts";
import type { Storage } from "../../../../../storage/storage.ts";
import type { MemoryTables } from "../../conversations/schema.ts";

type Sessions = Pick<ConversationArchive, "sessions" | "sessionIds" | "forgetBefore">;

type Keyed = MemoryTables["turns"] | MemoryTables["sessions"];

/** Condition that selects the rows of the session given to a prepared statement: `tenant`, `agent`, `sessionId`. */
export const ofSession = (table: Keyed) =>
  and(
    equalsBound(table.tenant, "tenant"),
    equalsBound(table.agent, "agent"),
    equalsBound(table.sessionId, "sessionId"),
  );

/** Lists and deletes the sessions of an agent in a database. */
export function sqlSessions({ read, tables, transact }: Storage<MemoryTables>): Sessions {
  const { sessions, turns } = tables;
  const ofAgent = (table: typeof sessions | typeof turns, { tenant, agent }: AgentKey) =>
    and(eq(table.tenant, tenant), eq(table.agent, agent));
  return {
    async sessions(key, { limit, after, since }) {
      const behind =
        after &&
        or(
          lt(sessions.lastAt, after.lastAt),
          and(eq(sessions.lastAt, after.lastAt), lt(sessions.sessionId, after.sessionId)),
        );
      const rows = await read
        .select({
          sessionId: sessions.sessionId,
          turns: sessions.turns,
          tokens: sessions.tokens,
          firstAt: sessions.firstAt,
          lastAt: sessions.lastAt,
          summaryUpTo: sessions.summaryUpTo,
        })
        .from(sessions)
        .where(and(ofAgent(sessions, key), since && gt(sessions.lastAt, since), behind))
        .orderBy(desc(sessions.lastAt), desc(sessions.sessionId))
        .limit(limit);
      return rows.map(({ summaryUpTo, ...row }) => ({ ...row, isSummarized: summaryUpTo > 0 }));
    },

    async sessionIds(key, { limit, cursor }) {
      const rows = await read
        .select({ sessionId: sessions.sessionId })
        .from(sessions)
        .where(and(ofAgent(sessions, key), cursor === undefined ? undefined : gt(sessions.sessionId, cursor)))
        .orderBy(asc(sessions.sessionId))
        .limit(limit);
      const ids = rows.map(({ sessionId }) => sessionId);
      return { ids, next: ids.length < limit ? undefined : ids.at(-1) };
    },

    forgetBefore: (key, before, limit) =>
      transact(
        async (tx) => {
          const isOld = and(ofAgent(sessions, key), lte(sessions.lastAt, before));
          const old = await tx
            .select({ sessionId: sessions.sessionId })
            .from(sessions)
            .where(isOld)
            .orderBy(asc(sessions.lastAt), asc(sessions.sessionId))
            .limit(limit);
          if (old.length === 0) return [];
          const ids = old.map(({ sessionId }) => sessionId);
          // Excludes sessions that continued in the meantime.
          const gone = await tx
            .delete(sessions)
            .where(and(isOld, inArray(sessions.sessionId, ids)))
            .returning({ sessionId: sessions.sessionId });
          const goneIds = gone.map(({ sessionId }) => sessionId);
          if (goneIds.length > 0)
            await tx.delete(turns).where(and(ofAgent(turns, key), inArray(turns.sessionId, goneIds)));
          return goneIds;
        },
        { isolation: "read committed" },
      ),
  };
}
