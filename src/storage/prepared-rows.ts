import { sql } from "drizzle-orm";
import { statement } from "./statement.ts";
import type { Query } from "./storage.ts";

/** Rows of the larger of two prepared inserts. Building and preparing a statement costs more than running it. */
const rowsTogether = 16;

/** An insert with these placeholders as values; `never` fits the values of every table. */
type InsertOf<Tables> = (tx: Query, tables: Tables, values: never[]) => { prepare(name: string): Prepared };

interface Prepared {
  execute(parameters: Record<string, unknown>): PromiseLike<unknown>;
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
  const prepare = (count: number) =>
    statement((tx: Query, tables: Tables) => {
      const values = Array.from({ length: count }, (_, row) =>
        Object.fromEntries(columns.map((column) => [column, sql.placeholder(column + row)])),
      );
      return insertOf(tx, tables, values as never[]).prepare(`${name}_${count}`);
    });
  const [one, many] = [prepare(1), prepare(rowsTogether)];
  const insert = async (prepared: Prepared, rows: readonly Readonly<Record<Column, unknown>>[]) => {
    const parameters: Record<string, unknown> = {};
    for (let row = 0; row < rows.length; row++)
      for (const column of columns) parameters[column + row] = rows[row]?.[column];
    await prepared.execute(parameters);
  };
  return async (tx, tables, rows) => {
    let from = 0;
    for (; from + rowsTogether <= rows.length; from += rowsTogether)
      await insert(many(tx, tables), rows.slice(from, from + rowsTogether));
    for (const row of rows.slice(from)) await insert(one(tx, tables), [row]);
  };
}
