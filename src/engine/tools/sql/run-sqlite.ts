import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { openSqlite } from "./open-sqlite.ts";
import {
  apart,
  bytesAsJson,
  exactInteger,
  type ResultBounds,
  RowCollector,
  rowTooLarge,
  type SqlAnswer,
  type SqlParameter,
  type SqlValue,
} from "./sql-answer.ts";

/** One line to the child. */
export interface SqliteRequest extends ResultBounds {
  /** The real path of the file. */
  path: string;
  query: string;
  parameters: readonly SqlParameter[];
  readOnly: boolean;
}

/** One line from the child. */
export type SqliteReply = { answer: SqlAnswer } | { fault: string };

/** Somebody who writes at the same time makes a reading void; then it is done again, this often. */
const ATTEMPTS_MAX = 3;

/** Runs one statement on a connection of its own. Throws what SQLite throws. */
export function runSqlite(request: SqliteRequest): SqlAnswer {
  for (let attempt = 1; ; attempt++) {
    const { database, isStale } = openSqlite(request.path, request.readOnly);
    try {
      const answer = runOn(database, request);
      if (!isStale()) return answer;
    } catch (thrown) {
      if (attempt >= ATTEMPTS_MAX || !isStale()) throw thrown;
    } finally {
      database.close();
    }
    if (attempt >= ATTEMPTS_MAX) throw new Error("the database was written meanwhile; try again");
  }
}

function runOn(database: DatabaseSync, request: SqliteRequest): SqlAnswer {
  const statement = database.prepare(request.query);
  const columns = apart(statement.columns().map(({ name }) => name));
  const values = request.parameters.map(toSqlite);
  if (columns.length === 0) {
    const { changes } = statement.run(...values);
    return { columns, rows: [], truncated: false, ...(request.readOnly ? {} : { changes: Number(changes) }) };
  }
  const rows = collect(statement, columns, values, request);
  const written = request.readOnly ? {} : { changes: changesOf(database, request.query) };
  return { columns, rows: rows.rows, truncated: rows.truncated, ...written };
}

/** A statement that writes and returns rows is stepped to its end: what it was to write must not depend on who reads. */
function collect(
  statement: StatementSync,
  columns: readonly string[],
  values: readonly SQLInputValue[],
  { readOnly, rowsMax, charsMax }: SqliteRequest,
): RowCollector {
  statement.setReturnArrays(true);
  const collector = new RowCollector({ rowsMax, charsMax });
  for (const row of statement.iterate(...values) as Iterable<unknown> as Iterable<unknown[]>) {
    const fits = collector.add(asObject(columns, row));
    if (!fits && readOnly) break;
  }
  if (collector.isTooLarge) throw new Error(rowTooLarge);
  return collector;
}

/** `changes()` keeps the number of the last statement that wrote: reading leaves it at 0 on a new connection. */
function changesOf(database: DatabaseSync, query: string): number {
  if (/^\s*select\b/i.test(query)) return 0;
  return Number(Object.values(database.prepare("SELECT changes()").get() ?? {})[0] ?? 0);
}

function asObject(columns: readonly string[], row: readonly unknown[]): Record<string, SqlValue> {
  const object: Record<string, SqlValue> = Object.create(null);
  for (const [index, column] of columns.entries()) object[column] = toJson(row[index]);
  return object;
}

function toJson(value: unknown): SqlValue {
  if (typeof value === "bigint") return exactInteger(value);
  if (value instanceof Uint8Array) return bytesAsJson(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  return typeof value === "string" ? value : null;
}

/** A whole number is bound as an integer, as it is written. */
function toSqlite(value: SqlParameter): SQLInputValue {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return value;
}
