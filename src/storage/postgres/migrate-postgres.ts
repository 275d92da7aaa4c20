import type { PostgresConnection, PostgresPool } from "../../kit/postgres/postgres-pool.ts";
import {
  type AppliedMigration,
  type Migration,
  pendingMigrations,
  sha256Of,
  statementsOf,
} from "../migration.ts";

/** Applies all missing migrations in one transaction or none. If several processes start together, one migrates and the others wait. */
export async function migratePostgres(
  server: PostgresPool,
  service: string,
  migrations: readonly Migration[],
): Promise<void> {
  // Not serializable: after the wait for the lock, the transaction must see what its previous holder committed.
  const migrate = async (connection: PostgresConnection) => {
    const run = (text: string, parameters: unknown[] = []) => connection.unsafe(text, parameters);
    await run("select pg_advisory_xact_lock(hashtext($1))", [`argosy:migrate:${service}`]);
    const table = `"${service}"."_migrations"`;
    const [{ exists }] = await run("select to_regclass($1) is not null as exists", [table]);
    // `create … if not exists` would need rights even on later starts.
    if (!exists) {
      await run(`create schema if not exists "${service}"`);
      await run(
        `create table ${table} (position bigint generated always as identity, tag text primary key, sha256 text not null, applied_at timestamptz not null default now())`,
      );
    }
    const applied: AppliedMigration[] = await run(`select tag, sha256 from ${table} order by position`);
    for (const step of pendingMigrations(service, migrations, applied)) {
      for (const statement of statementsOf(step)) await run(statement);
      await run(`insert into ${table} (tag, sha256) values ($1, $2)`, [step.tag, sha256Of(step)]);
    }
  };
  // A migration of many rows takes long, and so does the wait for another process that migrates.
  await server.transact("isolation level read committed", migrate, { unhurried: true });
}
