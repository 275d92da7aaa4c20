import { type Column, inArray, type SQL, sql } from "drizzle-orm";

/**
 * Returns `column = ` the placeholder `name`, for statements that are executed often. It is written as a list of one. Next to a join or an
 * ORDER BY, SQLite compiles a statement with a bare `= ?` again for each execution, which takes longer than the execution.
 */
export const equalsBound = (column: Column, name: string): SQL => inArray(column, [sql.placeholder(name)]);
