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

/** One line sent to the child. */
export interface SqliteRequest extends ResultBounds {
  /** Real path of the file. */
  path: string;
  query: string;
  parameters: readonly SqlParameter[];
  readOnly: boolean;
}

/** One line received from the child. */
export type SqliteReply = { answer: SqlAnswer } | { fault: string };

/** Maximum attempts of a read that a concurrent write invalidates. */
const ATTEMPTS_MAX = 3;

/** Runs one statement on its own connection. Throws SQLite's errors. */
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

/** Steps a writing statement that returns rows to its end, so that its effect does not depend on the row limit. */
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

/** `changes()` returns the number of the last writing statement; on a new connection without one it is 0. */
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

/** Binds whole numbers as integers. */
function toSqlite(value: SqlParameter): SQLInputValue {
  if (typeof value === "boolean") return value ? 1n : 0n;
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  return value;
}
