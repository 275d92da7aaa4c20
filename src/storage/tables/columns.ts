import type { postgresColumns } from "../postgres/postgres-columns.ts";
import { sqliteColumns } from "../sqlite/sqlite-columns.ts";

export type Dialect = "sqlite" | "postgres";

/**
 * The column types with which each service declares its tables, once for both engines:
 * - `id`, `flag`, and `text` (compared by code point);
 * - `instant` (a Date, to the millisecond);
 * - `json<T>` (null is SQL's NULL);
 * - `integer` and `money` (integer micros), both to ±(2^53-1), anything else is refused;
 * - `real` (finite).
 */
export type Columns = ReturnType<typeof postgresColumns>;

/**
 * The column types on SQLite, under the types of PostgreSQL's. The builders of both engines accept the same calls, and the assertion below
 * keeps their row types equal, so stores are typed against PostgreSQL's alone.
 */
export const columnsOfSqlite = sqliteColumns as unknown as Columns;

type ColumnKind = Exclude<keyof Columns, "table" | "index" | "unique" | "primaryKey">;
type Value<Kit extends Record<Kind, (name: string) => unknown>, Kind extends ColumnKind> =
  ReturnType<Kit[Kind]> extends { _: { data: infer Data } } ? Data : never;
type Probe<T> = <Any>() => Any extends T ? 1 : 2;
type Equal<A, B> = Probe<A> extends Probe<B> ? true : false;
type Verdicts = { [Kind in ColumnKind]: Equal<Value<Columns, Kind>, Value<typeof sqliteColumns, Kind>> };

/** Does not compile if a column type has different values on the two engines. */
({
  id: true,
  text: true,
  instant: true,
  json: true,
  money: true,
  flag: true,
  integer: true,
  real: true,
}) satisfies Verdicts;
