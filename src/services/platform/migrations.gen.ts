// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_init from "../../../migrations/platform/sqlite/0000_init.sql" with { type: "text" };
import sqlite_0001_tariff_models from "../../../migrations/platform/sqlite/0001_tariff_models.sql" with { type: "text" };
import sqlite_0002_uncharged_costs from "../../../migrations/platform/sqlite/0002_uncharged_costs.sql" with { type: "text" };
import sqlite_0003_guard from "../../../migrations/platform/sqlite/0003_guard.sql" with { type: "text" };
import sqlite_0004_workspace_records from "../../../migrations/platform/sqlite/0004_workspace_records.sql" with { type: "text" };
import sqlite_0005_stream_tickets from "../../../migrations/platform/sqlite/0005_stream_tickets.sql" with { type: "text" };
import sqlite_0006_idempotency_keys_of_a_run from "../../../migrations/platform/sqlite/0006_idempotency_keys_of_a_run.sql" with { type: "text" };
import sqlite_0007_channel_feedback from "../../../migrations/platform/sqlite/0007_channel_feedback.sql" with { type: "text" };
import sqlite_0008_evals_and_members from "../../../migrations/platform/sqlite/0008_evals_and_members.sql" with { type: "text" };
import sqlite_0009_accounts from "../../../migrations/platform/sqlite/0009_accounts.sql" with { type: "text" };
import sqlite_0010_begun_work from "../../../migrations/platform/sqlite/0010_begun_work.sql" with { type: "text" };
import sqlite_0011_gates_and_stored_bytes from "../../../migrations/platform/sqlite/0011_gates_and_stored_bytes.sql" with { type: "text" };
import sqlite_0012_counted_apart from "../../../migrations/platform/sqlite/0012_counted_apart.sql" with { type: "text" };
import sqlite_0013_own_accounts from "../../../migrations/platform/sqlite/0013_own_accounts.sql" with { type: "text" };
import sqlite_0014_grants_and_invoices from "../../../migrations/platform/sqlite/0014_grants_and_invoices.sql" with { type: "text" };
import sqlite_0015_forgotten_sessions from "../../../migrations/platform/sqlite/0015_forgotten_sessions.sql" with { type: "text" };
import sqlite_0016_durable_runs from "../../../migrations/platform/sqlite/0016_durable_runs.sql" with { type: "text" };
import sqlite_0017_notices from "../../../migrations/platform/sqlite/0017_notices.sql" with { type: "text" };
import sqlite_0018_costs_and_fine_rates from "../../../migrations/platform/sqlite/0018_costs_and_fine_rates.sql" with { type: "text" };
import sqlite_0019_rated_runs from "../../../migrations/platform/sqlite/0019_rated_runs.sql" with { type: "text" };
import sqlite_0020_attributed_usage from "../../../migrations/platform/sqlite/0020_attributed_usage.sql" with { type: "text" };
import sqlite_0021_key_roles from "../../../migrations/platform/sqlite/0021_key_roles.sql" with { type: "text" };
import sqlite_0022_agent_version_notes from "../../../migrations/platform/sqlite/0022_agent_version_notes.sql" with { type: "text" };
import sqlite_0023_operator_keys from "../../../migrations/platform/sqlite/0023_operator_keys.sql" with { type: "text" };
import sqlite_0024_message_sums from "../../../migrations/platform/sqlite/0024_message_sums.sql" with { type: "text" };
import sqlite_0025_run_sources from "../../../migrations/platform/sqlite/0025_run_sources.sql" with { type: "text" };
import sqlite_0026_rare_statuses from "../../../migrations/platform/sqlite/0026_rare_statuses.sql" with { type: "text" };
import postgres_0000_init from "../../../migrations/platform/postgres/0000_init.sql" with { type: "text" };
import postgres_0001_tariff_models from "../../../migrations/platform/postgres/0001_tariff_models.sql" with { type: "text" };
import postgres_0002_uncharged_costs from "../../../migrations/platform/postgres/0002_uncharged_costs.sql" with { type: "text" };
import postgres_0003_guard from "../../../migrations/platform/postgres/0003_guard.sql" with { type: "text" };
import postgres_0004_workspace_records from "../../../migrations/platform/postgres/0004_workspace_records.sql" with { type: "text" };
import postgres_0005_stream_tickets from "../../../migrations/platform/postgres/0005_stream_tickets.sql" with { type: "text" };
import postgres_0006_idempotency_keys_of_a_run from "../../../migrations/platform/postgres/0006_idempotency_keys_of_a_run.sql" with { type: "text" };
import postgres_0007_channel_feedback from "../../../migrations/platform/postgres/0007_channel_feedback.sql" with { type: "text" };
import postgres_0008_evals_and_members from "../../../migrations/platform/postgres/0008_evals_and_members.sql" with { type: "text" };
import postgres_0009_accounts from "../../../migrations/platform/postgres/0009_accounts.sql" with { type: "text" };
import postgres_0010_begun_work from "../../../migrations/platform/postgres/0010_begun_work.sql" with { type: "text" };
import postgres_0011_gates_and_stored_bytes from "../../../migrations/platform/postgres/0011_gates_and_stored_bytes.sql" with { type: "text" };
import postgres_0012_counted_apart from "../../../migrations/platform/postgres/0012_counted_apart.sql" with { type: "text" };
import postgres_0013_own_accounts from "../../../migrations/platform/postgres/0013_own_accounts.sql" with { type: "text" };
import postgres_0014_grants_and_invoices from "../../../migrations/platform/postgres/0014_grants_and_invoices.sql" with { type: "text" };
import postgres_0015_forgotten_sessions from "../../../migrations/platform/postgres/0015_forgotten_sessions.sql" with { type: "text" };
import postgres_0016_durable_runs from "../../../migrations/platform/postgres/0016_durable_runs.sql" with { type: "text" };
import postgres_0017_notices from "../../../migrations/platform/postgres/0017_notices.sql" with { type: "text" };
import postgres_0018_costs_and_fine_rates from "../../../migrations/platform/postgres/0018_costs_and_fine_rates.sql" with { type: "text" };
import postgres_0019_rated_runs from "../../../migrations/platform/postgres/0019_rated_runs.sql" with { type: "text" };
import postgres_0020_attributed_usage from "../../../migrations/platform/postgres/0020_attributed_usage.sql" with { type: "text" };
import postgres_0021_key_roles from "../../../migrations/platform/postgres/0021_key_roles.sql" with { type: "text" };
import postgres_0022_agent_version_notes from "../../../migrations/platform/postgres/0022_agent_version_notes.sql" with { type: "text" };
import postgres_0023_operator_keys from "../../../migrations/platform/postgres/0023_operator_keys.sql" with { type: "text" };
import postgres_0024_message_sums from "../../../migrations/platform/postgres/0024_message_sums.sql" with { type: "text" };
import postgres_0025_run_sources from "../../../migrations/platform/postgres/0025_run_sources.sql" with { type: "text" };
import postgres_0026_rare_statuses from "../../../migrations/platform/postgres/0026_rare_statuses.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_init", sql: sqlite_0000_init },
    { tag: "0001_tariff_models", sql: sqlite_0001_tariff_models },
    { tag: "0002_uncharged_costs", sql: sqlite_0002_uncharged_costs },
    { tag: "0003_guard", sql: sqlite_0003_guard },
    { tag: "0004_workspace_records", sql: sqlite_0004_workspace_records },
    { tag: "0005_stream_tickets", sql: sqlite_0005_stream_tickets },
    { tag: "0006_idempotency_keys_of_a_run", sql: sqlite_0006_idempotency_keys_of_a_run },
    { tag: "0007_channel_feedback", sql: sqlite_0007_channel_feedback },
    { tag: "0008_evals_and_members", sql: sqlite_0008_evals_and_members },
    { tag: "0009_accounts", sql: sqlite_0009_accounts },
    { tag: "0010_begun_work", sql: sqlite_0010_begun_work },
    { tag: "0011_gates_and_stored_bytes", sql: sqlite_0011_gates_and_stored_bytes },
    { tag: "0012_counted_apart", sql: sqlite_0012_counted_apart },
    { tag: "0013_own_accounts", sql: sqlite_0013_own_accounts },
    { tag: "0014_grants_and_invoices", sql: sqlite_0014_grants_and_invoices },
    { tag: "0015_forgotten_sessions", sql: sqlite_0015_forgotten_sessions },
    { tag: "0016_durable_runs", sql: sqlite_0016_durable_runs },
    { tag: "0017_notices", sql: sqlite_0017_notices },
    { tag: "0018_costs_and_fine_rates", sql: sqlite_0018_costs_and_fine_rates },
    { tag: "0019_rated_runs", sql: sqlite_0019_rated_runs },
    { tag: "0020_attributed_usage", sql: sqlite_0020_attributed_usage },
    { tag: "0021_key_roles", sql: sqlite_0021_key_roles },
    { tag: "0022_agent_version_notes", sql: sqlite_0022_agent_version_notes },
    { tag: "0023_operator_keys", sql: sqlite_0023_operator_keys },
    { tag: "0024_message_sums", sql: sqlite_0024_message_sums },
    { tag: "0025_run_sources", sql: sqlite_0025_run_sources },
    { tag: "0026_rare_statuses", sql: sqlite_0026_rare_statuses },
  ],
  postgres: [
    { tag: "0000_init", sql: postgres_0000_init },
    { tag: "0001_tariff_models", sql: postgres_0001_tariff_models },
    { tag: "0002_uncharged_costs", sql: postgres_0002_uncharged_costs },
    { tag: "0003_guard", sql: postgres_0003_guard },
    { tag: "0004_workspace_records", sql: postgres_0004_workspace_records },
    { tag: "0005_stream_tickets", sql: postgres_0005_stream_tickets },
    { tag: "0006_idempotency_keys_of_a_run", sql: postgres_0006_idempotency_keys_of_a_run },
    { tag: "0007_channel_feedback", sql: postgres_0007_channel_feedback },
    { tag: "0008_evals_and_members", sql: postgres_0008_evals_and_members },
    { tag: "0009_accounts", sql: postgres_0009_accounts },
    { tag: "0010_begun_work", sql: postgres_0010_begun_work },
    { tag: "0011_gates_and_stored_bytes", sql: postgres_0011_gates_and_stored_bytes },
    { tag: "0012_counted_apart", sql: postgres_0012_counted_apart },
    { tag: "0013_own_accounts", sql: postgres_0013_own_accounts },
    { tag: "0014_grants_and_invoices", sql: postgres_0014_grants_and_invoices },
    { tag: "0015_forgotten_sessions", sql: postgres_0015_forgotten_sessions },
    { tag: "0016_durable_runs", sql: postgres_0016_durable_runs },
    { tag: "0017_notices", sql: postgres_0017_notices },
    { tag: "0018_costs_and_fine_rates", sql: postgres_0018_costs_and_fine_rates },
    { tag: "0019_rated_runs", sql: postgres_0019_rated_runs },
    { tag: "0020_attributed_usage", sql: postgres_0020_attributed_usage },
    { tag: "0021_key_roles", sql: postgres_0021_key_roles },
    { tag: "0022_agent_version_notes", sql: postgres_0022_agent_version_notes },
    { tag: "0023_operator_keys", sql: postgres_0023_operator_keys },
    { tag: "0024_message_sums", sql: postgres_0024_message_sums },
    { tag: "0025_run_sources", sql: postgres_0025_run_sources },
    { tag: "0026_rare_statuses", sql: postgres_0026_rare_statuses },
  ],
};
