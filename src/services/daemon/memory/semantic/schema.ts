import type { Columns } from "../../../../storage/columns.ts";

/** A text that waits to be kept in a vector store. */
export interface WaitingText {
  id: string;
  text: string;
  metadata: Record<string, unknown>;
}

/** Semantic memory, as far as it isn't in a vector store. */
export const semanticTables = ({
  table,
  id,
  text,
  integer,
  instant,
  json,
  flag,
  index,
  primaryKey,
}: Columns) => ({
  /** What was said and is not in the vector store yet. A row goes when its texts are there, or forgotten there. */
  memoryWrites: table(
    "memory_writes",
    {
      tenant: id("tenant").notNull(),
      /** Ours, rising. */
      id: id("id").notNull(),
      agent: id("agent").notNull(),
      /** Empty: said in no session. */
      sessionId: text("session_id").notNull(),
      /** Empty: said by nobody in particular. */
      user: text("user_name").notNull(),
      /** What it was said in: the run's trace id. */
      origin: text("origin").notNull(),
      texts: json<WaitingText[]>("texts").notNull(),
      /** Whether it was forgotten while it waited: `texts` keeps the ids alone. */
      forgotten: flag("forgotten").notNull(),
      /** How often it was tried. */
      attempts: integer("attempts").notNull(),
      /** From when on it may be tried: moved on by whoever tries it. */
      dueAt: instant("due_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenant, row.id] }),
      index("memory_writes_due").on(row.dueAt, row.id),
      index("memory_writes_agent").on(row.tenant, row.agent),
    ],
  ),
  /** What the vectors of an agent's memory are made by, and where they are. */
  memoryCollections: table(
    "memory_collections",
    {
      tenant: id("tenant").notNull(),
      agent: id("agent").notNull(),
      store: text("store").notNull(),
      embedder: text("embedder").notNull(),
      dimension: integer("dimension").notNull(),
      /** The id written into the store's place; null: not recorded yet. */
      place: text("place"),
      /** The origin of the texts that were kept last and are not forgotten; null: not known. */
      newest: text("newest"),
    },
    (row) => [primaryKey({ columns: [row.tenant, row.agent] })],
  ),
});

export type SemanticTables = ReturnType<typeof semanticTables>;
