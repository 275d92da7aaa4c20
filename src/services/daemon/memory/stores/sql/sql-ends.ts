import { lt, or, sql } from "drizzle-orm";
import type { AgentKey, ConversationArchive, SessionKey } from "../../../../../engine/memory/conversation.ts";
import { equalsBound, statement } from "../../../../../storage/statement.ts";
import type { ReadQuery, Storage } from "../../../../../storage/storage.ts";
import type { MemoryTables } from "../../conversations/schema.ts";

/** Longest run, with all its pauses. */
export const endsKeptMs = 30 * 24 * 3_600_000;

/** The session as an end keeps it: nobody can read from it whose it was. Empty: all sessions of the agent. */
export const endedSession = (key: AgentKey | SessionKey): string =>
  "sessionId" in key && key.sessionId !== ""
    ? new Bun.CryptoHasher("sha256").update(key.sessionId).digest("hex")
    : "";

/** Ends of sessions in a database. */
export function sqlEnds(storage: Storage<MemoryTables>): Pick<ConversationArchive, "end" | "endedAt"> {
  const { read, tables, transact } = storage;
  const { sessionEnds } = tables;
  return {
    async endedAt(key) {
      const [last] = await endsOf(read, tables).execute({ ...key, sessionId: endedSession(key) });
      return last?.at;
    },
    async end(key, at) {
      const end = {
        tenant: key.tenant,
        agent: key.agent,
        sessionId: endedSession(key),
        at,
      };
      await transact(async (tx) => {
        await tx
          .insert(sessionEnds)
          .values(end)
          .onConflictDoUpdate({
            target: [sessionEnds.tenant, sessionEnds.agent, sessionEnds.sessionId],
            set: { at },
          });
        await tx.delete(sessionEnds).where(lt(sessionEnds.at, new Date(at.getTime() - endsKeptMs)));
      });
    },
  };
}

const endsOf = statement((query: ReadQuery, { sessionEnds }: MemoryTables) => {
  const { tenant, agent, sessionId, at } = sessionEnds;
  return query
    .select({ at })
    .from(sessionEnds)
    .where(
      sql`${equalsBound(tenant, "tenant")} and ${equalsBound(agent, "agent")} and ${or(
        equalsBound(sessionId, "sessionId"),
        sql`${sessionId} = ''`,
      )}`,
    )
    .orderBy(sql`${at} desc`)
    .limit(1)
    .prepare("session_ends");
});
