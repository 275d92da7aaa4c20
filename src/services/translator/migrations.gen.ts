// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_translator from "../../../migrations/translator/sqlite/0000_translator.sql" with { type: "text" };
import sqlite_0001_begun_work from "../../../migrations/translator/sqlite/0001_begun_work.sql" with { type: "text" };
import postgres_0000_translator from "../../../migrations/translator/postgres/0000_translator.sql" with { type: "text" };
import postgres_0001_begun_work from "../../../migrations/translator/postgres/0001_begun_work.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_translator", sql: sqlite_0000_translator },
    { tag: "0001_begun_work", sql: sqlite_0001_begun_work },
  ],
  postgres: [
    { tag: "0000_translator", sql: postgres_0000_translator },
    { tag: "0001_begun_work", sql: postgres_0001_begun_work },
  ],
};
