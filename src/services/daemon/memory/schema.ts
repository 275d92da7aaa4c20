import type { Columns } from "../../../storage/columns.ts";

/** Conversational memory: what was said in each session of each tenant's agents. */
export const memoryTables = ({ table, id, text, integer, instant, json, index, primaryKey }: Columns) => ({
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

  /** One row per session that has turns. Whoever changes either changes this row first, which lets in one at a time. */
  sessions: table(
    "sessions",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      sessionId: id("session_id").notNull(),
      /** Tells the session from a later one of its name. */
      life: id("life").notNull(),
      lastSeq: integer("last_seq").notNull(),
      turns: integer("turns").notNull(),
      tokens: integer("tokens").notNull(),
      firstAt: instant("first_at").notNull(),
      lastAt: instant("last_at").notNull(),
      /** What the turns up to `summaryUpTo` came to. */
      summary: text("summary"),
      summaryTokens: integer("summary_tokens"),
      summaryUpTo: integer("summary_up_to").notNull(),
      summaryAt: instant("summary_at"),
      /** Until when one summarizer has the session. */
      claimedUntil: instant("claimed_until"),
    },
    (session) => [
      primaryKey({ columns: [session.tenant, session.agent, session.sessionId] }),
      index("sessions_by_last_at").on(session.tenant, session.agent, session.lastAt, session.sessionId),
    ],
  ),

  /** Where agents have kept conversations apart from here; for these to be forgotten with the agent. */
  memoryPlaces: table(
    "memory_places",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      /** The store's address without what is secret in it. */
      place: id("place").notNull(),
      /** The whole address, sealed. */
      address: text("address"),
      /** What the agent had said there by then is to be forgotten before it is used again. */
      forgetUpTo: instant("forget_up_to"),
    },
    (row) => [primaryKey({ columns: [row.tenant, row.agent, row.place] })],
  ),
});

export type MemoryTables = ReturnType<typeof memoryTables>;
