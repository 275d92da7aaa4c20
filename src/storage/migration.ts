import { AppError } from "../kit/app-error.ts";

/** One schema migration of a service on one engine; `tag` is the same on both. */
export interface Migration {
  tag: string;
  sql: string;
}

export interface ServiceMigrations {
  sqlite: readonly Migration[];
  postgres: readonly Migration[];
}

/** A row of `_migrations`. */
export interface AppliedMigration {
  tag: string;
  sha256: string;
}

export const sha256Of = (migration: Migration): string =>
  new Bun.CryptoHasher("sha256").update(migration.sql).digest("hex");

/** Splits a migration at drizzle-kit's separator between statements. */
export const statementsOf = (migration: Migration): string[] =>
  migration.sql.split("--> statement-breakpoint");

/**
 * Returns the migrations still to apply, in order. Refuses a database that a newer executable wrote, and migrations that have changed
 * since.
 */
export function pendingMigrations(
  service: string,
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  for (const [position, row] of applied.entries()) {
    const step = known[position];
    if (step === undefined) {
      throw new AppError(
        "unavailable",
        "database_newer",
        `The ${service} database is newer than this executable: it has the step ${row.tag}. Start the version that made it, or restore a backup.`,
      );
    }
    if (step.tag !== row.tag || sha256Of(step) !== row.sha256) {
      throw new AppError(
        "unavailable",
        "migration_edited",
        `The ${service} database was made by another form of the step ${row.tag}. An applied migration must not be edited: restore it and add a new one.`,
      );
    }
  }
  return known.slice(applied.length);
}
