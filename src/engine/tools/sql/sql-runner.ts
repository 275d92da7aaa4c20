import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { type FileReach, fileFault, isOffLimits, pathRefused } from "../files/file-reach.ts";
import type { AddressOf } from "../network/address/find-address.ts";
import type { SqlDatabase } from "./connection-string.ts";
import { readStatement, type SqlStatement } from "./read-statement.ts";
import { createPostgresRunner } from "./run-postgres.ts";
import type { ResultBounds, SqlAnswer, SqlParameter } from "./sql-answer.ts";
import { sqlRefused } from "./sql-fault.ts";
import { createSqliteProcess } from "./sqlite-process.ts";

/** One statement for one database, with its limits. */
export interface SqlCall extends ResultBounds {
  database: SqlDatabase;
  query: string;
  parameters: readonly SqlParameter[];
  readOnly: boolean;
  /** Time limit of the statement itself. */
  timeLimitMs: number;
  signal: AbortSignal;
  /** Whose turn the statement waits for, among those that share the runner; absent: the operator's. */
  owner?: string | undefined;
  log: Logger;
}

/** Runs SQL statements for `sql_query`. */
export interface SqlRunner {
  /** Throws AppError with a message for the model, or the signal's reason. */
  run(call: SqlCall): Promise<SqlAnswer>;
  /** Ends its processes and connections. */
  close(): void;
}

export interface SqlRunnerOptions {
  clock: Clock;
  /** Command that starts `runSqlChild` in its own process: the executable with its hidden command, or bun with the file. */
  childCommand: readonly string[];
  files: FileReach;
  /** Absent: PostgreSQL servers are configured by the operator. */
  addressOf?: AddressOf;
}

/** Runs statements: for SQLite in a process that can be killed, for PostgreSQL in a transaction with limits set at the server. */
export function createSqlRunner({ clock, childCommand, files, addressOf }: SqlRunnerOptions): SqlRunner {
  const sqlite = createSqliteProcess(childCommand, clock);
  const runPostgres = createPostgresRunner(clock, addressOf);
  return {
    async run(call) {
      const { database, parameters } = call;
      const statement = readStatement(call.query, database.dialect);
      requireParameters(statement, parameters);
      if (database.dialect === "postgres") return runPostgres({ ...call, url: database.url, statement });
      const { readOnly, rowsMax, charsMax, timeLimitMs, signal, owner = "" } = call;
      const path = await findDatabase(database, files);
      const query = statement.text;
      const request = { path, query, parameters, readOnly, rowsMax, charsMax };
      return sqlite.run(request, { timeLimitMs, signal, owner });
    },
    close: sqlite.close,
  };
}

function requireParameters(statement: SqlStatement, { length }: readonly SqlParameter[]): void {
  if (statement.parameters === length) return;
  throw sqlRefused(
    `The query has placeholders for ${statement.parameters} values and params has ${length}; give one value for each placeholder.`,
  );
}

/** Real path of a database that a tool may open. */
async function findDatabase(
  { path, orRelative }: Extract<SqlDatabase, { dialect: "sqlite" }>,
  files: FileReach,
): Promise<string> {
  const inWorkspace =
    orRelative === undefined
      ? undefined
      : await realpath(resolve(files.workspace, orRelative)).catch(() => undefined);
  try {
    const real = inWorkspace ?? (await realpath(resolve(files.workspace, path)));
    const stats = await stat(real);
    if (!stats.isFile())
      throw pathRefused(
        "The database of this tool is not a regular file; its configuration has to be corrected.",
      );
    if (isOffLimits(files, real))
      throw pathRefused("The database of this tool is off limits; its configuration has to be corrected.");
    return real;
  } catch (thrown) {
    throw isMissing(thrown)
      ? pathRefused(
          "The database of this tool does not exist; its configuration has to be corrected.",
          thrown,
        )
      : fileFault(thrown);
  }
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "ENOENT";
}
