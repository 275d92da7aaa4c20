// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_gateway from "../../../migrations/gateway/sqlite/0000_gateway.sql" with { type: "text" };
import sqlite_0001_webchat from "../../../migrations/gateway/sqlite/0001_webchat.sql" with { type: "text" };
import postgres_0000_gateway from "../../../migrations/gateway/postgres/0000_gateway.sql" with { type: "text" };
import postgres_0001_webchat from "../../../migrations/gateway/postgres/0001_webchat.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_gateway", sql: sqlite_0000_gateway },
    { tag: "0001_webchat", sql: sqlite_0001_webchat },
  ],
  postgres: [
    { tag: "0000_gateway", sql: postgres_0000_gateway },
    { tag: "0001_webchat", sql: postgres_0001_webchat },
  ],
};
