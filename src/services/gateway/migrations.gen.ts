// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_gateway from "../../../migrations/gateway/sqlite/0000_gateway.sql" with { type: "text" };
import sqlite_0001_inbound from "../../../migrations/gateway/sqlite/0001_inbound.sql" with { type: "text" };
import sqlite_0002_webchat from "../../../migrations/gateway/sqlite/0002_webchat.sql" with { type: "text" };
import postgres_0000_gateway from "../../../migrations/gateway/postgres/0000_gateway.sql" with { type: "text" };
import postgres_0001_inbound from "../../../migrations/gateway/postgres/0001_inbound.sql" with { type: "text" };
import postgres_0002_webchat from "../../../migrations/gateway/postgres/0002_webchat.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_gateway", sql: sqlite_0000_gateway },
    { tag: "0001_inbound", sql: sqlite_0001_inbound },
    { tag: "0002_webchat", sql: sqlite_0002_webchat },
  ],
  postgres: [
    { tag: "0000_gateway", sql: postgres_0000_gateway },
    { tag: "0001_inbound", sql: postgres_0001_inbound },
    { tag: "0002_webchat", sql: postgres_0002_webchat },
  ],
};
