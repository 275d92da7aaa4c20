import { and, eq } from "drizzle-orm";
import type { ConversationStore, SessionKey } from "../../../engine/memory/conversation.ts";
import type { Storage } from "../../../storage/storage.ts";
import type { MemoryTables } from "./schema.ts";

/** How many sessions are found and cleared at once. */
const batchMax = 100;

/** Deletes every conversation of an agent, through the store that also knows what is kept in memory of them. */
export async function forgetConversations(
  { read, tables }: Storage<MemoryTables>,
  store: ConversationStore,
  { tenant, agent }: Omit<SessionKey, "sessionId">,
): Promise<void> {
  const { turns } = tables;
  for (;;) {
    const sessions = await read
      .selectDistinct({ sessionId: turns.sessionId })
      .from(turns)
      .where(and(eq(turns.tenant, tenant), eq(turns.agent, agent)))
      .limit(batchMax);
    await Promise.all(sessions.map(({ sessionId }) => store.clear({ tenant, agent, sessionId })));
    if (sessions.length < batchMax) return;
  }
}
