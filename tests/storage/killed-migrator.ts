import { Database } from "bun:sqlite";
import { systemClock } from "../../src/kit/clock.ts";
import { type PostgresConnection, PostgresPool } from "../../src/kit/postgres/postgres-pool.ts";
import { PostgresServers } from "../../src/kit/postgres/postgres-servers.ts";
import type { ServiceMigrations } from "../../src/storage/migration.ts";
import { migratePostgres } from "../../src/storage/postgres/migrate-postgres.ts";
import { migrateSqlite } from "../../src/storage/sqlite/migrate-sqlite.ts";

// Migrates the database of its second argument by the steps of its fourth (JSON), and kills itself before the statement whose number is
// its third.
const [dialect, target = "", killBefore, steps = ""] = process.argv.slice(2);
let statements = 0;
const count = () => {
  if (String(statements) === killBefore) process.kill(process.pid, "SIGKILL");
  statements += 1;
};
const migrations: ServiceMigrations = JSON.parse(steps);

async function work(): Promise<void> {
  if (dialect === "sqlite") {
    const database = new Database(target);
    database.run("PRAGMA journal_mode = WAL");
    const counted = {
      run: (...parameters: Parameters<Database["run"]>) => {
        count();
        return database.run(...parameters);
      },
      query: database.query.bind(database),
      inTransaction: true,
    } as Pick<Database, "run" | "query" | "inTransaction">;
    migrateSqlite(counted, "sample", migrations.sqlite, systemClock);
  } else {
    const server = new PostgresPool({
      server: new PostgresServers(systemClock).serverOf(target),
      max: 1,
      statementMs: 30_000,
      clock: systemClock,
      name: "migrator",
    });
    const transact: PostgresPool["transact"] = (mode, work, bounds) =>
      server.transact(
        mode,
        (connection) => {
          const unsafe: PostgresConnection["unsafe"] = (...parameters) => {
            count();
            return connection.unsafe(...parameters);
          };
          return work({ ...connection, unsafe });
        },
        bounds,
      );
    await migratePostgres({ transact } as PostgresPool, "sample", migrations.postgres);
    await server.close();
  }
}

void work();
