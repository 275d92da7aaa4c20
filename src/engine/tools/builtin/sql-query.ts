import { Type } from "@sinclair/typebox";
import { credentialsOf, databaseName, readConnectionString } from "../sql/connection-string.ts";
import { builtinTool } from "./builtin-tool.ts";

const CHARS_MAX = 1_048_576;
const QUERY_CHARS_MAX = 100_000;

/** Runs one SQL statement on a SQLite file or a PostgreSQL database. */
export const sqlQuery = builtinTool({
  name: "sql_query",
  isRepeatable: (_, { read_only }) => read_only,
  description:
    "Runs one SQL statement on the configured database (SQLite or PostgreSQL) and returns its rows. Values go into params, in the order of the placeholders.",
  docs: "Returns `columns`, `rows`, `row_count` and `truncated`, with `read_only: false` also `changes`. Reading by default: SQLite under an authorizer in a process of its own that is stopped after `statement_timeout_seconds` or 512 MiB, without touching any file; PostgreSQL in a read-only transaction with a `statement_timeout`, as `pg_read_all_data` where the role is a superuser; functions that reach files, servers, settings or other sessions are refused. `EXPLAIN` and `SHOW` count as reading on PostgreSQL; `EXPLAIN ANALYZE` runs its statement, so it follows that statement's rule. `read_only: false` also lets rows, tables, indexes and views be changed. Always one statement; never ATTACH, PRAGMA (but for those that describe tables), VACUUM, COPY, DO, CALL, triggers. Placeholders are `?` in SQLite and `$1` in PostgreSQL, which reads each value as a literal of the type that it needs there: JSON columns take JSON text. Rows of `RETURNING` have the same values as those of `SELECT`. Integers beyond 2^53 come as text, bytes of SQLite as `{base64, bytes}`, those of PostgreSQL as `\\x…`. Rows end at 1 Mi characters.",
  parameters: Type.Object(
    {
      query: Type.String({ description: "One SQL statement.", maxLength: QUERY_CHARS_MAX }),
      params: Type.Optional(
        Type.Array(
          Type.Union([Type.String({ maxLength: 1_000_000 }), Type.Number(), Type.Boolean(), Type.Null()]),
          {
            description: "Values of the placeholders (`?` in SQLite, `$1` in PostgreSQL), in order.",
            maxItems: 1000,
          },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  options: Type.Object(
    {
      connection_string: Type.String({
        description:
          "A SQLite file (`sqlite:///path`, `file:path` or a path, relative to the workspace) or `postgres://user:password@host/database`.",
        minLength: 1,
        maxLength: 4096,
      }),
      read_only: Type.Boolean({ description: "Whether nothing may be changed.", default: true }),
      max_rows: Type.Integer({ description: "Rows returned.", minimum: 1, maximum: 10_000, default: 1000 }),
      statement_timeout_seconds: Type.Integer({
        description: "The longest a statement may run, in seconds; the tool's own limit counts as well.",
        minimum: 1,
        maximum: 60,
        default: 2,
      }),
    },
    { additionalProperties: false },
  ),
  problems({ connection_string }) {
    const database = readConnectionString(connection_string);
    return "problem" in database ? [{ key: "connection_string", message: database.problem }] : [];
  },
  describeCall(_, { connection_string, read_only }) {
    const database = readConnectionString(connection_string);
    const target = "problem" in database ? "sql_query" : databaseName(database);
    return { target, operation: read_only ? "query" : "execute" };
  },
  build({ connection_string, read_only, max_rows, statement_timeout_seconds }, { sql, conceal }) {
    const database = readConnectionString(connection_string);
    for (const secret of credentialsOf(database)) conceal(secret);
    return async ({ query, params = [] }, { signal, log }) => {
      if ("problem" in database) return { success: false, error: `connection_string ${database.problem}.` };
      const { columns, rows, truncated, changes } = await sql.run({
        database,
        query,
        parameters: params,
        readOnly: read_only,
        rowsMax: max_rows,
        charsMax: CHARS_MAX,
        timeLimitMs: statement_timeout_seconds * 1000,
        signal,
        log,
      });
      return {
        success: true,
        data: {
          columns,
          rows,
          row_count: rows.length,
          truncated,
          ...(changes === undefined ? {} : { changes }),
        },
      };
    };
  },
});
