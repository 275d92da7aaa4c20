import { postgresColumns } from "./postgres/postgres-columns.ts";
import { sqliteColumns } from "./sqlite/sqlite-columns.ts";

export type Dialect = "sqlite" | "postgres";

/**
 * The column vocabulary in which each service declares its tables, once for both engines:
 * `id`, `text` (compared by code point), `instant` (a Date, to the millisecond), `json<T>` (null is SQL's NULL),
 * `money` (integer micros), `integer` (both to ±(2^53-1), anything else is refused), `real` (finite), `flag`.
 */
export type Columns = ReturnType<typeof postgresColumns>;

/**
 * The vocabulary for one engine. The builders of both engines take the same calls, and the assertion below
 * keeps their row types equal, so stores are typed and written against PostgreSQL's alone.
 */
export const columnsFor = (dialect: Dialect, service: string): Columns =>
  dialect === "postgres" ? postgresColumns(service) : (sqliteColumns as unknown as Columns);

type ColumnKind = Exclude<keyof Columns, "table" | "index" | "unique" | "primaryKey">;
type Value<Kit extends Record<Kind, (name: string) => unknown>, Kind extends ColumnKind> =
  ReturnType<Kit[Kind]> extends { _: { data: infer Data } } ? Data : never;
type Probe<T> = <Any>() => Any extends T ? 1 : 2;
type Equal<A, B> = Probe<A> extends Probe<B> ? true : false;
type Verdicts = { [Kind in ColumnKind]: Equal<Value<Columns, Kind>, Value<typeof sqliteColumns, Kind>> };

/** Doesn't compile when a kind of column gives other values on one engine than on the other. */
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
