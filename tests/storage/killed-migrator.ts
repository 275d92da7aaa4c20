import { Database } from "bun:sqlite";
import { SQL } from "bun";
import { systemClock } from "../../src/kit/clock.ts";
import { migratePostgres } from "../../src/storage/postgres/migrate-postgres.ts";
import { migrateSqlite } from "../../src/storage/sqlite/migrate-sqlite.ts";
import { versionedMigrations } from "../support/schema-versions.ts";

// Migrates the database of its second argument, and kills itself before the statement whose number is its third.
const [, , dialect, target = "", killBefore] = process.argv;
let statements = 0;
const count = () => {
  if (String(statements) === killBefore) process.kill(process.pid, "SIGKILL");
  statements += 1;
};
const { both } = await versionedMigrations("sample");

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
  migrateSqlite(counted, "sample", both.sqlite, systemClock);
} else {
  const server = new SQL(target, { max: 1 });
  const begin = (options: string, work: (connection: SQL) => Promise<unknown>) =>
    server.begin(options, (connection) => {
      const unsafe: SQL["unsafe"] = (...parameters) => {
        count();
        return connection.unsafe(...parameters);
      };
      return work({ unsafe } as SQL);
    });
  await migratePostgres({ begin } as unknown as SQL, "sample", both.postgres);
  await server.close();
}
