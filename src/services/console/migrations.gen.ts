// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_init from "../../../migrations/console/sqlite/0000_init.sql" with { type: "text" };
import postgres_0000_init from "../../../migrations/console/postgres/0000_init.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_init", sql: sqlite_0000_init },
  ],
  postgres: [
    { tag: "0000_init", sql: postgres_0000_init },
  ],
};
