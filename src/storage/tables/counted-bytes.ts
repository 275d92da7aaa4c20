import type { Columns } from "./columns.ts";

const mark = Symbol.for("argosy.counted-bytes");

/** How the rows of a table count for those who made them. */
export interface Counting {
  /** Column with the owner. Rows without one don't count. */
  owner: string;
  /** Word under which the owner sees the bytes; several tables may share it. */
  area: string;
  /** Owner whose rows don't count: the operator of the machine. */
  except?: string;
  /** Bytes outside the database for each unit of a column: a document's vectors are in a vector store. */
  outside?: Readonly<Record<string, number>>;
}

/** Declares that database triggers keep the bytes of the table's rows in `stored_bytes`, in the transaction that changes them. */
export const countBytes = <Table extends object>(table: Table, counting: Counting): Table =>
  Object.assign(table, { [mark]: counting });

/** Returns how a table was declared to count. */
export const countingOf = (table: object): Counting | undefined => (table as { [mark]?: Counting })[mark];

/**
 * Bytes of text that owners store, by area. Triggers keep them: code only reads them, except for areas that other services hold. On PostgreSQL
 * each connection keeps a part of its own, so that two transactions of one owner never wait for each other's count.
 */
export const storedBytesTables = ({ table, id, text, integer, money, primaryKey }: Columns) => ({
  storedBytes: table(
    "stored_bytes",
    {
      ownerId: id("owner_id").notNull(),
      area: text("area").notNull(),
      /** Process of PostgreSQL that counted; 0: SQLite, what other services hold, and the parts of connections that ended. */
      part: integer("part").notNull().default(0),
      bytes: money("bytes").notNull(),
    },
    (row) => [primaryKey({ columns: [row.ownerId, row.area, row.part] })],
  ),
});

export type StoredBytesTables = ReturnType<typeof storedBytesTables>;
