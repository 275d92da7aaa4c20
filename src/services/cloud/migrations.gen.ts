// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_init from "../../../migrations/cloud/sqlite/0000_init.sql" with { type: "text" };
import sqlite_0001_audit_and_streams from "../../../migrations/cloud/sqlite/0001_audit_and_streams.sql" with { type: "text" };
import sqlite_0002_stream_tickets from "../../../migrations/cloud/sqlite/0002_stream_tickets.sql" with { type: "text" };
import sqlite_0003_evals_and_gates from "../../../migrations/cloud/sqlite/0003_evals_and_gates.sql" with { type: "text" };
import sqlite_0004_accounts from "../../../migrations/cloud/sqlite/0004_accounts.sql" with { type: "text" };
import sqlite_0005_begun_work from "../../../migrations/cloud/sqlite/0005_begun_work.sql" with { type: "text" };
import sqlite_0006_gates_and_stored_bytes from "../../../migrations/cloud/sqlite/0006_gates_and_stored_bytes.sql" with { type: "text" };
import sqlite_0007_counted_apart from "../../../migrations/cloud/sqlite/0007_counted_apart.sql" with { type: "text" };
import sqlite_0008_own_accounts from "../../../migrations/cloud/sqlite/0008_own_accounts.sql" with { type: "text" };
import sqlite_0009_drafts_and_names from "../../../migrations/cloud/sqlite/0009_drafts_and_names.sql" with { type: "text" };
import sqlite_0010_usage_costs from "../../../migrations/cloud/sqlite/0010_usage_costs.sql" with { type: "text" };
import postgres_0000_init from "../../../migrations/cloud/postgres/0000_init.sql" with { type: "text" };
import postgres_0001_audit_and_streams from "../../../migrations/cloud/postgres/0001_audit_and_streams.sql" with { type: "text" };
import postgres_0002_stream_tickets from "../../../migrations/cloud/postgres/0002_stream_tickets.sql" with { type: "text" };
import postgres_0003_evals_and_gates from "../../../migrations/cloud/postgres/0003_evals_and_gates.sql" with { type: "text" };
import postgres_0004_accounts from "../../../migrations/cloud/postgres/0004_accounts.sql" with { type: "text" };
import postgres_0005_begun_work from "../../../migrations/cloud/postgres/0005_begun_work.sql" with { type: "text" };
import postgres_0006_gates_and_stored_bytes from "../../../migrations/cloud/postgres/0006_gates_and_stored_bytes.sql" with { type: "text" };
import postgres_0007_counted_apart from "../../../migrations/cloud/postgres/0007_counted_apart.sql" with { type: "text" };
import postgres_0008_own_accounts from "../../../migrations/cloud/postgres/0008_own_accounts.sql" with { type: "text" };
import postgres_0009_drafts_and_names from "../../../migrations/cloud/postgres/0009_drafts_and_names.sql" with { type: "text" };
import postgres_0010_usage_costs from "../../../migrations/cloud/postgres/0010_usage_costs.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_init", sql: sqlite_0000_init },
    { tag: "0001_audit_and_streams", sql: sqlite_0001_audit_and_streams },
    { tag: "0002_stream_tickets", sql: sqlite_0002_stream_tickets },
    { tag: "0003_evals_and_gates", sql: sqlite_0003_evals_and_gates },
    { tag: "0004_accounts", sql: sqlite_0004_accounts },
    { tag: "0005_begun_work", sql: sqlite_0005_begun_work },
    { tag: "0006_gates_and_stored_bytes", sql: sqlite_0006_gates_and_stored_bytes },
    { tag: "0007_counted_apart", sql: sqlite_0007_counted_apart },
    { tag: "0008_own_accounts", sql: sqlite_0008_own_accounts },
    { tag: "0009_drafts_and_names", sql: sqlite_0009_drafts_and_names },
    { tag: "0010_usage_costs", sql: sqlite_0010_usage_costs },
  ],
  postgres: [
    { tag: "0000_init", sql: postgres_0000_init },
    { tag: "0001_audit_and_streams", sql: postgres_0001_audit_and_streams },
    { tag: "0002_stream_tickets", sql: postgres_0002_stream_tickets },
    { tag: "0003_evals_and_gates", sql: postgres_0003_evals_and_gates },
    { tag: "0004_accounts", sql: postgres_0004_accounts },
    { tag: "0005_begun_work", sql: postgres_0005_begun_work },
    { tag: "0006_gates_and_stored_bytes", sql: postgres_0006_gates_and_stored_bytes },
    { tag: "0007_counted_apart", sql: postgres_0007_counted_apart },
    { tag: "0008_own_accounts", sql: postgres_0008_own_accounts },
    { tag: "0009_drafts_and_names", sql: postgres_0009_drafts_and_names },
    { tag: "0010_usage_costs", sql: postgres_0010_usage_costs },
  ],
};
