import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { othersTurn } from "../kit/concurrency/others-turn.ts";
import type { Storage } from "./storage.ts";

/** Rows of one transaction: with ten indexes, triggers and texts of some KB, 100 rows take SQLite 5 to 10 ms. */
const pieceRows = 100;

/**
 * Deletes the rows that meet the condition, however many, in short transactions between which others get their turn. What a crash leaves is
 * deleted the next time; `signal` ends it between two transactions. An index should begin with the condition's columns. Returns the number of rows.
 */
export async function deleteInPieces(
  { dialect, transact }: Pick<Storage, "dialect" | "transact">,
  table: PgTable,
  condition: SQL | undefined,
  { rows = pieceRows, signal }: { rows?: number; signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const found = (column: SQL) =>
    sql`select ${column} from ${table} where ${condition} limit ${sql.raw(String(rows))}`;
  const isInPiece =
    dialect === "sqlite" ? sql`rowid in (${found(sql`rowid`)})` : sql`ctid = any(array(${found(sql`ctid`)}))`;
  let deleted = 0;
  for (;;) {
    const piece = await transact(
      (tx) => tx.delete(table).where(isInPiece).returning({ one: sql<number>`1` }),
      {
        isolation: "read committed",
      },
    );
    deleted += piece.length;
    if (piece.length < rows || signal?.aborted) return deleted;
    await othersTurn();
  }
}
