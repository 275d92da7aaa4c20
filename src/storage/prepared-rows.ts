import { sql } from "drizzle-orm";
import { statement } from "./statement.ts";
import type { Query } from "./storage.ts";

/** Rows of the larger of two prepared inserts. Building and preparing a statement costs more than running it. */
const rowsTogether = 16;

/** An insert with these placeholders as values; `never` fits the values of every table. */
type InsertOf<Tables> = (tx: Query, tables: Tables, values: never[]) => { prepare(name: string): Prepared };

interface Prepared {
  execute(parameters: Readonly<Record<string, unknown>>): PromiseLike<unknown>;
}

/**
 * Returns a function that inserts any number of rows with the given columns over two statements that are prepared once, for one row and
 * for 16. `insertOf` builds the insert; one row may not conflict with another of the same call.
 */
export function preparedRows<Column extends string, Tables>(
  name: string,
  columns: readonly Column[],
  insertOf: InsertOf<Tables>,
): (tx: Query, tables: Tables, rows: readonly Readonly<Record<Column, unknown>>[]) => Promise<void> {
  /** Placeholders of each row; those of the first are the columns' own names, so that a row is the parameters of an insert of one. */
  const placeholders = Array.from({ length: rowsTogether }, (_, row) =>
    columns.map((column) => ({ column, name: row === 0 ? column : `${column} ${row}` })),
  );
  const prepare = (count: number) =>
    statement((tx: Query, tables: Tables) => {
      const values = placeholders
        .slice(0, count)
        .map((row) => Object.fromEntries(row.map(({ column, name }) => [column, sql.placeholder(name)])));
      return insertOf(tx, tables, values as never[]).prepare(`${name}_${count}`);
    });
  const [one, many] = [prepare(1), prepare(rowsTogether)];
  const together = (rows: readonly Readonly<Record<Column, unknown>>[], from: number) => {
    const parameters: Record<string, unknown> = {};
    for (const [at, row] of placeholders.entries())
      for (const { column, name } of row) parameters[name] = rows[from + at]?.[column];
    return parameters;
  };
  return async (tx, tables, rows) => {
    let from = 0;
    for (; from + rowsTogether <= rows.length; from += rowsTogether)
      await many(tx, tables).execute(together(rows, from));
    for (const row of rows.slice(from)) await one(tx, tables).execute(row);
  };
}
