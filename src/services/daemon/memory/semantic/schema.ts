import type { Columns } from "../../../../storage/tables/columns.ts";

/** A text that waits to be added to a vector store. */
export interface WaitingText {
  id: string;
  text: string;
  metadata: Record<string, unknown>;
}

/** Semantic memory outside the vector stores. */
export const semanticTables = ({
  table,
  id,
  text,
  integer,
  instant,
  json,
  money,
  flag,
  index,
  primaryKey,
}: Columns) => ({
  /** Texts that are not in the vector store yet. A row is deleted when its texts are added to the store, or deleted from it. */
  memoryWrites: table(
    "memory_writes",
    {
      tenant: id("tenant").notNull(),
      /** Our own id, ascending. */
      id: id("id").notNull(),
      agent: id("agent").notNull(),
      /** Empty if the text belongs to no session. */
      sessionId: text("session_id").notNull(),
      /** Empty if the text belongs to no particular user. */
      user: text("user_name").notNull(),
      /** Trace id of the run in which the text was said. */
      origin: text("origin").notNull(),
      texts: json<WaitingText[]>("texts").notNull(),
      /** True if it was deleted while it waited; `texts` then contains only the ids. */
      forgotten: flag("forgotten").notNull(),
      /** Number of attempts. */
      attempts: integer("attempts").notNull(),
      /** Time of the next attempt; each claim moves it into the future. */
      dueAt: instant("due_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenant, row.id] }),
      index("memory_writes_due").on(row.dueAt, row.id),
      index("memory_writes_agent").on(row.tenant, row.agent),
    ],
  ),
  /** Store, embedder and place of the vectors of an agent's memory; see `collection-records.ts`. */
  memoryCollections: table(
    "memory_collections",
    {
      tenant: id("tenant").notNull(),
      /** For a former store: `agent@store`. */
      agent: id("agent").notNull(),
      store: text("store").notNull(),
      /** Empty if the texts belong to a deleted agent and are still to be deleted. */
      embedder: text("embedder").notNull(),
      dimension: integer("dimension").notNull(),
      /** Id stored at the store's place; null if not yet recorded. */
      place: text("place"),
      /** Origin of the latest texts that are stored and not deleted; null if unknown. */
      newest: text("newest"),
      /** Bytes of the texts and vectors in the store, about. */
      bytes: money("bytes").notNull().default(0),
    },
    (row) => [primaryKey({ columns: [row.tenant, row.agent] })],
  ),
});

export type SemanticTables = ReturnType<typeof semanticTables>;
