// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_init from "../../../migrations/platform/sqlite/0000_init.sql" with { type: "text" };
import sqlite_0001_guard from "../../../migrations/platform/sqlite/0001_guard.sql" with { type: "text" };
import postgres_0000_init from "../../../migrations/platform/postgres/0000_init.sql" with { type: "text" };
import postgres_0001_guard from "../../../migrations/platform/postgres/0001_guard.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_init", sql: sqlite_0000_init },
    { tag: "0001_guard", sql: sqlite_0001_guard },
  ],
  postgres: [
    { tag: "0000_init", sql: postgres_0000_init },
    { tag: "0001_guard", sql: postgres_0001_guard },
  ],
};
