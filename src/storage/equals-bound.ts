import { type Column, inArray, type SQL, sql } from "drizzle-orm";

/**
 * `column = ` the placeholder `name`, for statements that are executed often. Written as a list of one: beside a join or an
 * ORDER BY SQLite compiles a statement with a bare `= ?` anew each time it is executed, which takes longer than executing it.
 */
export const equalsBound = (column: Column, name: string): SQL => inArray(column, [sql.placeholder(name)]);
