import { Column, is, Param, Placeholder, SQL } from "drizzle-orm";
import { SQLitePreparedQuery } from "drizzle-orm/sqlite-core";

/** The parts of drizzle's prepared statement that are read here. Its types hide them. */
interface PreparedParts {
  query: { params: readonly unknown[] };
  stmt: {
    run(...parameters: unknown[]): unknown;
    values(...parameters: unknown[]): unknown[][];
  };
  executeMethod: "run" | "all" | "get";
  /** Columns of the result, in order. */
  fields?: readonly { path: readonly string[]; field: unknown }[];
  customResultMapper?: unknown;
}

type Values = Readonly<Record<string, unknown>>;

/** A prepared insert of several rows that takes its parameters from the rows themselves. */
export interface RowsStatement {
  /** Inserts as many rows as the statement has, from `rows[from]` on. */
  executeRows(rows: readonly Values[], from: number): Promise<unknown>;
}

/** Name of the placeholder for a column of a row, for statements that are executed with `executeRows`. */
export const rowPlaceholder = (column: string, row: number): string => `${column} ${row}`;

/**
 * Gives a prepared statement of SQLite an `execute` that does the same as drizzle's in a third of the time: what drizzle finds out about
 * each parameter and column at every execution is found out once. It executes when it is called. Other statements stay unchanged.
 */
export function executedDirectly<Prepared extends object>(prepared: Prepared): Prepared {
  if (!is(prepared, SQLitePreparedQuery)) return prepared;
  const { query, stmt, executeMethod, fields, customResultMapper } = prepared as unknown as PreparedParts;
  if (customResultMapper !== undefined || executeMethod === "get") return prepared;
  const bind = binderOf(query.params);
  if (executeMethod === "run") {
    const bindRows = rowsBinderOf(query.params);
    return Object.assign(prepared, {
      execute: async (values: Values = {}) => stmt.run(...bind(values)),
      ...(bindRows && {
        executeRows: async (rows: readonly Values[], from: number) => stmt.run(...bindRows(rows, from)),
      }),
    });
  }
  const read = fields && rowReaderOf(fields);
  if (read === undefined) return prepared;
  return Object.assign(prepared, {
    execute: async (values: Values = {}) => stmt.values(...bind(values)).map(read),
  });
}

/** Returns a function that gives the parameters of an execution, encoded, in their order. */
function binderOf(parameters: readonly unknown[]): (values: Values) => unknown[] {
  const binders = parameters.map((parameter): ((values: Values) => unknown) => {
    if (is(parameter, Placeholder)) return readerOf(parameter);
    if (is(parameter, Param) && is(parameter.value, Placeholder)) {
      const value = readerOf(parameter.value);
      const { encoder } = parameter;
      return (values) => encoder.mapToDriverValue(value(values));
    }
    return () => parameter;
  });
  return (values) => {
    const bound: unknown[] = [];
    for (const binder of binders) bound.push(binder(values));
    return bound;
  };
}

/** The same for parameters that are columns of rows; undefined if one of them is none. */
function rowsBinderOf(
  parameters: readonly unknown[],
): ((rows: readonly Values[], from: number) => unknown[]) | undefined {
  const binders: { row: number; column: string; encode: (value: unknown) => unknown }[] = [];
  for (const parameter of parameters) {
    if (!is(parameter, Param) || !is(parameter.value, Placeholder)) return undefined;
    const [column, row] = parameter.value.name.split(" ");
    if (column === undefined || row === undefined) return undefined;
    const { encoder } = parameter;
    binders.push({ row: Number(row), column, encode: (value) => encoder.mapToDriverValue(value) });
  }
  return (rows, from) => {
    const bound: unknown[] = [];
    for (const { row, column, encode } of binders) bound.push(encode(rows[from + row]?.[column]));
    return bound;
  };
}

function readerOf({ name }: Placeholder): (values: Values) => unknown {
  return (values) => {
    const value = values[name];
    if (value === undefined && !(name in values))
      throw new Error(`No value for placeholder "${name}" was provided`);
    return value;
  };
}

/** Returns a function that makes an object of a row; undefined for fields of several tables and for fields of kinds that aren't used. */
function rowReaderOf(
  fields: NonNullable<PreparedParts["fields"]>,
): ((row: readonly unknown[]) => Record<string, unknown>) | undefined {
  const columns: { name: string; decode: (value: unknown) => unknown }[] = [];
  for (const { path, field } of fields) {
    const [name] = path;
    const decoder = decoderOf(field);
    if (name === undefined || path.length > 1 || decoder === undefined) return undefined;
    columns.push({ name, decode: (value) => decoder.mapFromDriverValue(value) });
  }
  return (row) => {
    const object: Record<string, unknown> = {};
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at];
      const value = row[at];
      if (column !== undefined) object[column.name] = value === null ? null : column.decode(value);
    }
    return object;
  };
}

interface Decoder {
  mapFromDriverValue(value: unknown): unknown;
}

function decoderOf(field: unknown): Decoder | undefined {
  if (is(field, Column)) return field;
  const expression = is(field, SQL.Aliased) ? field.sql : field;
  // Drizzle's types hide the decoder of an expression.
  return is(expression, SQL) ? (Reflect.get(expression, "decoder") as Decoder) : undefined;
}
