import type { Database } from "bun:sqlite";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import {
  type AppliedMigration,
  type Migration,
  pendingMigrations,
  sha256Of,
  statementsOf,
} from "../migration.ts";

/**
 * Applies all missing migrations or none: a process killed halfway leaves the database unchanged. A changed table is rebuilt under its
 * name, so foreign keys are off meanwhile; the pragma has no effect inside a transaction.
 */
export function migrateSqlite(
  database: Pick<Database, "run" | "query" | "inTransaction">,
  service: string,
  migrations: readonly Migration[],
  clock: Clock,
): void {
  database.run("PRAGMA foreign_keys = OFF");
  database.run("BEGIN EXCLUSIVE");
  try {
    database.run(
      "CREATE TABLE IF NOT EXISTS _migrations (tag TEXT PRIMARY KEY, sha256 TEXT NOT NULL, applied_at INTEGER NOT NULL)",
    );
    const applied = database
      .query<AppliedMigration, []>("SELECT tag, sha256 FROM _migrations ORDER BY rowid")
      .all();
    for (const step of pendingMigrations(service, migrations, applied)) {
      for (const statement of statementsOf(step)) database.run(statement);
      const row = [step.tag, sha256Of(step), clock.now().getTime()];
      database.run("INSERT INTO _migrations (tag, sha256, applied_at) VALUES (?, ?, ?)", row);
    }
    const broken = database.query("PRAGMA foreign_key_check").all().length;
    if (broken > 0)
      throw new AppError(
        "unavailable",
        "migration_failed",
        `${broken} rows of the ${service} database would lose what they refer to.`,
      );
    database.run("COMMIT");
  } catch (thrown) {
    // After a full disk, for example, SQLite has already rolled back.
    if (database.inTransaction) database.run("ROLLBACK");
    throw thrown;
  }
  database.run("PRAGMA foreign_keys = ON");
}
