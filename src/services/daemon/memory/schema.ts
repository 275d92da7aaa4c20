import type { Columns } from "../../../storage/columns.ts";

/** Conversational memory: what was said in each session of each tenant's agents. */
export const memoryTables = ({ table, id, text, integer, instant, json, primaryKey }: Columns) => ({
  turns: table(
    "turns",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      sessionId: id("session_id").notNull(),
      /** Position in the session, increasing. */
      seq: integer("seq").notNull(),
      role: text("role").$type<"user" | "assistant">().notNull(),
      content: text("content").notNull(),
      at: instant("at").notNull(),
      tokenCount: integer("token_count").notNull(),
      metadata: json<Record<string, unknown>>("metadata").notNull(),
    },
    (turn) => [primaryKey({ columns: [turn.tenant, turn.agent, turn.sessionId, turn.seq] })],
  ),
});

export type MemoryTables = ReturnType<typeof memoryTables>;
