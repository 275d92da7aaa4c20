// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_init from "../../../migrations/daemon/sqlite/0000_init.sql" with { type: "text" };
import sqlite_0001_budgets from "../../../migrations/daemon/sqlite/0001_budgets.sql" with { type: "text" };
import sqlite_0002_channel_messages from "../../../migrations/daemon/sqlite/0002_channel_messages.sql" with { type: "text" };
import sqlite_0003_approvals from "../../../migrations/daemon/sqlite/0003_approvals.sql" with { type: "text" };
import sqlite_0004_memory_and_retrieval from "../../../migrations/daemon/sqlite/0004_memory_and_retrieval.sql" with { type: "text" };
import sqlite_0005_usage_tallies from "../../../migrations/daemon/sqlite/0005_usage_tallies.sql" with { type: "text" };
import sqlite_0006_vector_places from "../../../migrations/daemon/sqlite/0006_vector_places.sql" with { type: "text" };
import sqlite_0007_collection_senders from "../../../migrations/daemon/sqlite/0007_collection_senders.sql" with { type: "text" };
import sqlite_0008_stored_providers from "../../../migrations/daemon/sqlite/0008_stored_providers.sql" with { type: "text" };
import sqlite_0009_feedback from "../../../migrations/daemon/sqlite/0009_feedback.sql" with { type: "text" };
import sqlite_0010_agent_manifests from "../../../migrations/daemon/sqlite/0010_agent_manifests.sql" with { type: "text" };
import sqlite_0011_run_facts from "../../../migrations/daemon/sqlite/0011_run_facts.sql" with { type: "text" };
import sqlite_0012_canary_runs from "../../../migrations/daemon/sqlite/0012_canary_runs.sql" with { type: "text" };
import sqlite_0013_channel_feedback from "../../../migrations/daemon/sqlite/0013_channel_feedback.sql" with { type: "text" };
import sqlite_0014_begun_work from "../../../migrations/daemon/sqlite/0014_begun_work.sql" with { type: "text" };
import sqlite_0015_gates_and_stored_bytes from "../../../migrations/daemon/sqlite/0015_gates_and_stored_bytes.sql" with { type: "text" };
import sqlite_0016_counted_apart from "../../../migrations/daemon/sqlite/0016_counted_apart.sql" with { type: "text" };
import sqlite_0017_channel_inbox_and_outbox from "../../../migrations/daemon/sqlite/0017_channel_inbox_and_outbox.sql" with { type: "text" };
import sqlite_0018_channel_messages_carried from "../../../migrations/daemon/sqlite/0018_channel_messages_carried.sql" with { type: "text" };
import sqlite_0019_flat_recall_and_filters from "../../../migrations/daemon/sqlite/0019_flat_recall_and_filters.sql" with { type: "text" };
import sqlite_0020_responses from "../../../migrations/daemon/sqlite/0020_responses.sql" with { type: "text" };
import sqlite_0021_document_losses from "../../../migrations/daemon/sqlite/0021_document_losses.sql" with { type: "text" };
import sqlite_0022_triggers from "../../../migrations/daemon/sqlite/0022_triggers.sql" with { type: "text" };
import sqlite_0023_forgotten_sessions from "../../../migrations/daemon/sqlite/0023_forgotten_sessions.sql" with { type: "text" };
import sqlite_0024_durable_runs from "../../../migrations/daemon/sqlite/0024_durable_runs.sql" with { type: "text" };
import sqlite_0025_uncounted_run_steps from "../../../migrations/daemon/sqlite/0025_uncounted_run_steps.sql" with { type: "text" };
import sqlite_0026_session_ends from "../../../migrations/daemon/sqlite/0026_session_ends.sql" with { type: "text" };
import sqlite_0027_shared_files from "../../../migrations/daemon/sqlite/0027_shared_files.sql" with { type: "text" };
import sqlite_0028_stream_tickets from "../../../migrations/daemon/sqlite/0028_stream_tickets.sql" with { type: "text" };
import sqlite_0029_mcp_tasks from "../../../migrations/daemon/sqlite/0029_mcp_tasks.sql" with { type: "text" };
import sqlite_0030_rate_windows from "../../../migrations/daemon/sqlite/0030_rate_windows.sql" with { type: "text" };
import sqlite_0031_cassettes from "../../../migrations/daemon/sqlite/0031_cassettes.sql" with { type: "text" };
import sqlite_0032_message_sums from "../../../migrations/daemon/sqlite/0032_message_sums.sql" with { type: "text" };
import sqlite_0033_run_fact_edge from "../../../migrations/daemon/sqlite/0033_run_fact_edge.sql" with { type: "text" };
import sqlite_0034_run_sources from "../../../migrations/daemon/sqlite/0034_run_sources.sql" with { type: "text" };
import sqlite_0035_eval_runs from "../../../migrations/daemon/sqlite/0035_eval_runs.sql" with { type: "text" };
import sqlite_0036_caller_runs from "../../../migrations/daemon/sqlite/0036_caller_runs.sql" with { type: "text" };
import sqlite_0037_unpriced_calls from "../../../migrations/daemon/sqlite/0037_unpriced_calls.sql" with { type: "text" };
import postgres_0000_init from "../../../migrations/daemon/postgres/0000_init.sql" with { type: "text" };
import postgres_0001_budgets from "../../../migrations/daemon/postgres/0001_budgets.sql" with { type: "text" };
import postgres_0002_channel_messages from "../../../migrations/daemon/postgres/0002_channel_messages.sql" with { type: "text" };
import postgres_0003_approvals from "../../../migrations/daemon/postgres/0003_approvals.sql" with { type: "text" };
import postgres_0004_memory_and_retrieval from "../../../migrations/daemon/postgres/0004_memory_and_retrieval.sql" with { type: "text" };
import postgres_0005_usage_tallies from "../../../migrations/daemon/postgres/0005_usage_tallies.sql" with { type: "text" };
import postgres_0006_vector_places from "../../../migrations/daemon/postgres/0006_vector_places.sql" with { type: "text" };
import postgres_0007_collection_senders from "../../../migrations/daemon/postgres/0007_collection_senders.sql" with { type: "text" };
import postgres_0008_stored_providers from "../../../migrations/daemon/postgres/0008_stored_providers.sql" with { type: "text" };
import postgres_0009_feedback from "../../../migrations/daemon/postgres/0009_feedback.sql" with { type: "text" };
import postgres_0010_agent_manifests from "../../../migrations/daemon/postgres/0010_agent_manifests.sql" with { type: "text" };
import postgres_0011_run_facts from "../../../migrations/daemon/postgres/0011_run_facts.sql" with { type: "text" };
import postgres_0012_canary_runs from "../../../migrations/daemon/postgres/0012_canary_runs.sql" with { type: "text" };
import postgres_0013_channel_feedback from "../../../migrations/daemon/postgres/0013_channel_feedback.sql" with { type: "text" };
import postgres_0014_begun_work from "../../../migrations/daemon/postgres/0014_begun_work.sql" with { type: "text" };
import postgres_0015_gates_and_stored_bytes from "../../../migrations/daemon/postgres/0015_gates_and_stored_bytes.sql" with { type: "text" };
import postgres_0016_counted_apart from "../../../migrations/daemon/postgres/0016_counted_apart.sql" with { type: "text" };
import postgres_0017_channel_inbox_and_outbox from "../../../migrations/daemon/postgres/0017_channel_inbox_and_outbox.sql" with { type: "text" };
import postgres_0018_channel_messages_carried from "../../../migrations/daemon/postgres/0018_channel_messages_carried.sql" with { type: "text" };
import postgres_0019_flat_recall_and_filters from "../../../migrations/daemon/postgres/0019_flat_recall_and_filters.sql" with { type: "text" };
import postgres_0020_responses from "../../../migrations/daemon/postgres/0020_responses.sql" with { type: "text" };
import postgres_0021_document_losses from "../../../migrations/daemon/postgres/0021_document_losses.sql" with { type: "text" };
import postgres_0022_triggers from "../../../migrations/daemon/postgres/0022_triggers.sql" with { type: "text" };
import postgres_0023_forgotten_sessions from "../../../migrations/daemon/postgres/0023_forgotten_sessions.sql" with { type: "text" };
import postgres_0024_durable_runs from "../../../migrations/daemon/postgres/0024_durable_runs.sql" with { type: "text" };
import postgres_0025_uncounted_run_steps from "../../../migrations/daemon/postgres/0025_uncounted_run_steps.sql" with { type: "text" };
import postgres_0026_session_ends from "../../../migrations/daemon/postgres/0026_session_ends.sql" with { type: "text" };
import postgres_0027_shared_files from "../../../migrations/daemon/postgres/0027_shared_files.sql" with { type: "text" };
import postgres_0028_stream_tickets from "../../../migrations/daemon/postgres/0028_stream_tickets.sql" with { type: "text" };
import postgres_0029_mcp_tasks from "../../../migrations/daemon/postgres/0029_mcp_tasks.sql" with { type: "text" };
import postgres_0030_rate_windows from "../../../migrations/daemon/postgres/0030_rate_windows.sql" with { type: "text" };
import postgres_0031_cassettes from "../../../migrations/daemon/postgres/0031_cassettes.sql" with { type: "text" };
import postgres_0032_message_sums from "../../../migrations/daemon/postgres/0032_message_sums.sql" with { type: "text" };
import postgres_0033_run_fact_edge from "../../../migrations/daemon/postgres/0033_run_fact_edge.sql" with { type: "text" };
import postgres_0034_run_sources from "../../../migrations/daemon/postgres/0034_run_sources.sql" with { type: "text" };
import postgres_0035_eval_runs from "../../../migrations/daemon/postgres/0035_eval_runs.sql" with { type: "text" };
import postgres_0036_caller_runs from "../../../migrations/daemon/postgres/0036_caller_runs.sql" with { type: "text" };
import postgres_0037_unpriced_calls from "../../../migrations/daemon/postgres/0037_unpriced_calls.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_init", sql: sqlite_0000_init },
    { tag: "0001_budgets", sql: sqlite_0001_budgets },
    { tag: "0002_channel_messages", sql: sqlite_0002_channel_messages },
    { tag: "0003_approvals", sql: sqlite_0003_approvals },
    { tag: "0004_memory_and_retrieval", sql: sqlite_0004_memory_and_retrieval },
    { tag: "0005_usage_tallies", sql: sqlite_0005_usage_tallies },
    { tag: "0006_vector_places", sql: sqlite_0006_vector_places },
    { tag: "0007_collection_senders", sql: sqlite_0007_collection_senders },
    { tag: "0008_stored_providers", sql: sqlite_0008_stored_providers },
    { tag: "0009_feedback", sql: sqlite_0009_feedback },
    { tag: "0010_agent_manifests", sql: sqlite_0010_agent_manifests },
    { tag: "0011_run_facts", sql: sqlite_0011_run_facts },
    { tag: "0012_canary_runs", sql: sqlite_0012_canary_runs },
    { tag: "0013_channel_feedback", sql: sqlite_0013_channel_feedback },
    { tag: "0014_begun_work", sql: sqlite_0014_begun_work },
    { tag: "0015_gates_and_stored_bytes", sql: sqlite_0015_gates_and_stored_bytes },
    { tag: "0016_counted_apart", sql: sqlite_0016_counted_apart },
    { tag: "0017_channel_inbox_and_outbox", sql: sqlite_0017_channel_inbox_and_outbox },
    { tag: "0018_channel_messages_carried", sql: sqlite_0018_channel_messages_carried },
    { tag: "0019_flat_recall_and_filters", sql: sqlite_0019_flat_recall_and_filters },
    { tag: "0020_responses", sql: sqlite_0020_responses },
    { tag: "0021_document_losses", sql: sqlite_0021_document_losses },
    { tag: "0022_triggers", sql: sqlite_0022_triggers },
    { tag: "0023_forgotten_sessions", sql: sqlite_0023_forgotten_sessions },
    { tag: "0024_durable_runs", sql: sqlite_0024_durable_runs },
    { tag: "0025_uncounted_run_steps", sql: sqlite_0025_uncounted_run_steps },
    { tag: "0026_session_ends", sql: sqlite_0026_session_ends },
    { tag: "0027_shared_files", sql: sqlite_0027_shared_files },
    { tag: "0028_stream_tickets", sql: sqlite_0028_stream_tickets },
    { tag: "0029_mcp_tasks", sql: sqlite_0029_mcp_tasks },
    { tag: "0030_rate_windows", sql: sqlite_0030_rate_windows },
    { tag: "0031_cassettes", sql: sqlite_0031_cassettes },
    { tag: "0032_message_sums", sql: sqlite_0032_message_sums },
    { tag: "0033_run_fact_edge", sql: sqlite_0033_run_fact_edge },
    { tag: "0034_run_sources", sql: sqlite_0034_run_sources },
    { tag: "0035_eval_runs", sql: sqlite_0035_eval_runs },
    { tag: "0036_caller_runs", sql: sqlite_0036_caller_runs },
    { tag: "0037_unpriced_calls", sql: sqlite_0037_unpriced_calls },
  ],
  postgres: [
    { tag: "0000_init", sql: postgres_0000_init },
    { tag: "0001_budgets", sql: postgres_0001_budgets },
    { tag: "0002_channel_messages", sql: postgres_0002_channel_messages },
    { tag: "0003_approvals", sql: postgres_0003_approvals },
    { tag: "0004_memory_and_retrieval", sql: postgres_0004_memory_and_retrieval },
    { tag: "0005_usage_tallies", sql: postgres_0005_usage_tallies },
    { tag: "0006_vector_places", sql: postgres_0006_vector_places },
    { tag: "0007_collection_senders", sql: postgres_0007_collection_senders },
    { tag: "0008_stored_providers", sql: postgres_0008_stored_providers },
    { tag: "0009_feedback", sql: postgres_0009_feedback },
    { tag: "0010_agent_manifests", sql: postgres_0010_agent_manifests },
    { tag: "0011_run_facts", sql: postgres_0011_run_facts },
    { tag: "0012_canary_runs", sql: postgres_0012_canary_runs },
    { tag: "0013_channel_feedback", sql: postgres_0013_channel_feedback },
    { tag: "0014_begun_work", sql: postgres_0014_begun_work },
    { tag: "0015_gates_and_stored_bytes", sql: postgres_0015_gates_and_stored_bytes },
    { tag: "0016_counted_apart", sql: postgres_0016_counted_apart },
    { tag: "0017_channel_inbox_and_outbox", sql: postgres_0017_channel_inbox_and_outbox },
    { tag: "0018_channel_messages_carried", sql: postgres_0018_channel_messages_carried },
    { tag: "0019_flat_recall_and_filters", sql: postgres_0019_flat_recall_and_filters },
    { tag: "0020_responses", sql: postgres_0020_responses },
    { tag: "0021_document_losses", sql: postgres_0021_document_losses },
    { tag: "0022_triggers", sql: postgres_0022_triggers },
    { tag: "0023_forgotten_sessions", sql: postgres_0023_forgotten_sessions },
    { tag: "0024_durable_runs", sql: postgres_0024_durable_runs },
    { tag: "0025_uncounted_run_steps", sql: postgres_0025_uncounted_run_steps },
    { tag: "0026_session_ends", sql: postgres_0026_session_ends },
    { tag: "0027_shared_files", sql: postgres_0027_shared_files },
    { tag: "0028_stream_tickets", sql: postgres_0028_stream_tickets },
    { tag: "0029_mcp_tasks", sql: postgres_0029_mcp_tasks },
    { tag: "0030_rate_windows", sql: postgres_0030_rate_windows },
    { tag: "0031_cassettes", sql: postgres_0031_cassettes },
    { tag: "0032_message_sums", sql: postgres_0032_message_sums },
    { tag: "0033_run_fact_edge", sql: postgres_0033_run_fact_edge },
    { tag: "0034_run_sources", sql: postgres_0034_run_sources },
    { tag: "0035_eval_runs", sql: postgres_0035_eval_runs },
    { tag: "0036_caller_runs", sql: postgres_0036_caller_runs },
    { tag: "0037_unpriced_calls", sql: postgres_0037_unpriced_calls },
  ],
};
