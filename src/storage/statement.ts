import { type Column, getTableColumns, inArray, type SQL, sql, type Table } from "drizzle-orm";
import { isPostgres } from "./json-rows.ts";

/**
 * A query that is built and prepared once per handle (`storage.read`, a transaction's `tx`) and then only executed: `const byName =
 * statement((query: ReadQuery, tables: T) => query.select()….prepare("by_name"))`, then `await byName(storage.read,
 * storage.tables).execute({ name })`.
 */
export function statement<Handle extends object, Tables, Prepared extends object>(
  build: (query: Handle, tables: Tables) => Prepared,
): (query: Handle, tables: Tables) => Prepared {
  const preparedBy = new WeakMap<Handle, Prepared>();
  return (query, tables) => {
    const known = preparedBy.get(query);
    if (known !== undefined) return known;
    const prepared = build(query, tables);
    preparedBy.set(query, prepared);
    return prepared;
  };
}

/**
 * Returns `column = ` the placeholder `name`, for statements that are executed often. It is written as a list of one. If a plan may depend on
 * a bound value, SQLite compiles the statement again for each execution, which takes longer than the execution. That is so for a bare `= ?`
 * next to a join, a subquery or an ORDER BY, and for each bound constant that the condition of a partial index names: write such constants
 * as literals, such as `status = 'sending'`.
 */
export const equalsBound = (column: Column, name: string): SQL => inArray(column, [sql.placeholder(name)]);

/** Returns a placeholder for each column, named like it, for an insert that is executed with whole rows. */
export function boundRow<Row extends Table>(table: Row): Row["$inferInsert"] {
  const names = Object.keys(getTableColumns(table));
  return Object.fromEntries(names.map((name) => [name, sql.placeholder(name)])) as Row["$inferInsert"];
}

/** Returns the placeholder `name`, whose value is written as the column writes its own. */
export const boundValue = (column: Column, name: string) => sql.param(sql.placeholder(name), column);

/**
 * Returns the end of a lease that begins now and lasts `leaseMs`. Execute the statement with `leaseMs` and `leaseUntil`, the end by this
 * process's clock: several processes on one server go by the server's clock.
 */
export const leaseEnd = (column: Column): SQL =>
  isPostgres(column.table)
    ? sql`date_trunc('milliseconds', statement_timestamp()) + make_interval(secs => ${sql.placeholder("leaseMs")}::double precision / 1000)`
    : sql`${boundValue(column, "leaseUntil")}`;

interface Lockable {
  for(strength: "update", config: { skipLocked: true }): unknown;
}

/**
 * Selects the rows of `select` that no other transaction is claiming, and locks them until this one ends. On SQLite, there is no other
 * transaction. Put the query into a CTE (`tx.$with("due").as(claimable(table, …))`), because PostgreSQL may evaluate a subquery again and
 * lock too much. Use a `read committed` transaction.
 */
export function claimable<Select extends Lockable>(table: Table, select: Select): Select {
  if (isPostgres(table)) select.for("update", { skipLocked: true });
  return select;
}
