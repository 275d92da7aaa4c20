import type { Columns } from "../../../../storage/tables/columns.ts";

/** Conversational memory: turns of each session of each tenant's agents. */
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

  /** One row per session with turns. Every change to a session updates this row first, which serializes the changes. */
  sessions: table(
    "sessions",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      sessionId: id("session_id").notNull(),
      /** Distinguishes the session from a later one with the same id. */
      life: id("life").notNull(),
      lastSeq: integer("last_seq").notNull(),
      turns: integer("turns").notNull(),
      tokens: integer("tokens").notNull(),
      firstAt: instant("first_at").notNull(),
      lastAt: instant("last_at").notNull(),
      /** Summary of the turns up to `summaryUpTo`. */
      summary: text("summary"),
      summaryTokens: integer("summary_tokens"),
      summaryUpTo: integer("summary_up_to").notNull(),
      summaryAt: instant("summary_at"),
      /** End of a summarizer's claim on the session. */
      claimedUntil: instant("claimed_until"),
    },
    (session) => [
      primaryKey({ columns: [session.tenant, session.agent, session.sessionId] }),
      index("sessions_by_last_at").on(session.tenant, session.agent, session.lastAt, session.sessionId),
    ],
  ),

  /** Ends of sessions, for runs that were in progress. Sessions are digests; an empty one: all of the agent. */
  sessionEnds: table(
    "session_ends",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      sessionId: id("session_id").notNull(),
      at: instant("at").notNull(),
    },
    (end) => [
      primaryKey({ columns: [end.tenant, end.agent, end.sessionId] }),
      index("session_ends_by_time").on(end.at),
    ],
  ),

  /** Other stores where agents have kept conversations, so these can be deleted with the agent. */
  memoryPlaces: table(
    "memory_places",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      /** Address of the store without secrets. */
      place: id("place").notNull(),
      /** The whole address, sealed. */
      address: text("address"),
      /** Turns up to this time must be deleted before the place is used again. */
      forgetUpTo: instant("forget_up_to"),
    },
    (row) => [primaryKey({ columns: [row.tenant, row.agent, row.place] })],
  ),
});

export type MemoryTables = ReturnType<typeof memoryTables>;
