// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_translator from "../../../migrations/translator/sqlite/0000_translator.sql" with { type: "text" };
import postgres_0000_translator from "../../../migrations/translator/postgres/0000_translator.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_translator", sql: sqlite_0000_translator },
  ],
  postgres: [
    { tag: "0000_translator", sql: postgres_0000_translator },
  ],
};
