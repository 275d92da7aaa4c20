// Made by scripts/generate-migrations.ts: don't edit.
import type { ServiceMigrations } from "../../storage/migration.ts";
import sqlite_0000_gateway from "../../../migrations/gateway/sqlite/0000_gateway.sql" with { type: "text" };
import sqlite_0001_outbox_trail from "../../../migrations/gateway/sqlite/0001_outbox_trail.sql" with { type: "text" };
import sqlite_0002_inbound from "../../../migrations/gateway/sqlite/0002_inbound.sql" with { type: "text" };
import sqlite_0003_webchat from "../../../migrations/gateway/sqlite/0003_webchat.sql" with { type: "text" };
import sqlite_0004_read_conversations from "../../../migrations/gateway/sqlite/0004_read_conversations.sql" with { type: "text" };
import sqlite_0005_outbox_room from "../../../migrations/gateway/sqlite/0005_outbox_room.sql" with { type: "text" };
import sqlite_0006_channel_feedback from "../../../migrations/gateway/sqlite/0006_channel_feedback.sql" with { type: "text" };
import sqlite_0007_begun_work from "../../../migrations/gateway/sqlite/0007_begun_work.sql" with { type: "text" };
import sqlite_0008_counted_apart from "../../../migrations/gateway/sqlite/0008_counted_apart.sql" with { type: "text" };
import sqlite_0009_contacts from "../../../migrations/gateway/sqlite/0009_contacts.sql" with { type: "text" };
import sqlite_0010_desk from "../../../migrations/gateway/sqlite/0010_desk.sql" with { type: "text" };
import sqlite_0011_media_files from "../../../migrations/gateway/sqlite/0011_media_files.sql" with { type: "text" };
import sqlite_0012_forgettings from "../../../migrations/gateway/sqlite/0012_forgettings.sql" with { type: "text" };
import sqlite_0013_desk_reports from "../../../migrations/gateway/sqlite/0013_desk_reports.sql" with { type: "text" };
import sqlite_0014_replied_messages from "../../../migrations/gateway/sqlite/0014_replied_messages.sql" with { type: "text" };
import sqlite_0015_voice_transcripts from "../../../migrations/gateway/sqlite/0015_voice_transcripts.sql" with { type: "text" };
import sqlite_0016_group_speakers from "../../../migrations/gateway/sqlite/0016_group_speakers.sql" with { type: "text" };
import sqlite_0017_message_sums from "../../../migrations/gateway/sqlite/0017_message_sums.sql" with { type: "text" };
import postgres_0000_gateway from "../../../migrations/gateway/postgres/0000_gateway.sql" with { type: "text" };
import postgres_0001_outbox_trail from "../../../migrations/gateway/postgres/0001_outbox_trail.sql" with { type: "text" };
import postgres_0002_inbound from "../../../migrations/gateway/postgres/0002_inbound.sql" with { type: "text" };
import postgres_0003_webchat from "../../../migrations/gateway/postgres/0003_webchat.sql" with { type: "text" };
import postgres_0004_read_conversations from "../../../migrations/gateway/postgres/0004_read_conversations.sql" with { type: "text" };
import postgres_0005_outbox_room from "../../../migrations/gateway/postgres/0005_outbox_room.sql" with { type: "text" };
import postgres_0006_channel_feedback from "../../../migrations/gateway/postgres/0006_channel_feedback.sql" with { type: "text" };
import postgres_0007_begun_work from "../../../migrations/gateway/postgres/0007_begun_work.sql" with { type: "text" };
import postgres_0008_counted_apart from "../../../migrations/gateway/postgres/0008_counted_apart.sql" with { type: "text" };
import postgres_0009_contacts from "../../../migrations/gateway/postgres/0009_contacts.sql" with { type: "text" };
import postgres_0010_desk from "../../../migrations/gateway/postgres/0010_desk.sql" with { type: "text" };
import postgres_0011_media_files from "../../../migrations/gateway/postgres/0011_media_files.sql" with { type: "text" };
import postgres_0012_forgettings from "../../../migrations/gateway/postgres/0012_forgettings.sql" with { type: "text" };
import postgres_0013_desk_reports from "../../../migrations/gateway/postgres/0013_desk_reports.sql" with { type: "text" };
import postgres_0014_replied_messages from "../../../migrations/gateway/postgres/0014_replied_messages.sql" with { type: "text" };
import postgres_0015_voice_transcripts from "../../../migrations/gateway/postgres/0015_voice_transcripts.sql" with { type: "text" };
import postgres_0016_group_speakers from "../../../migrations/gateway/postgres/0016_group_speakers.sql" with { type: "text" };
import postgres_0017_message_sums from "../../../migrations/gateway/postgres/0017_message_sums.sql" with { type: "text" };

export const migrations: ServiceMigrations = {
  sqlite: [
    { tag: "0000_gateway", sql: sqlite_0000_gateway },
    { tag: "0001_outbox_trail", sql: sqlite_0001_outbox_trail },
    { tag: "0002_inbound", sql: sqlite_0002_inbound },
    { tag: "0003_webchat", sql: sqlite_0003_webchat },
    { tag: "0004_read_conversations", sql: sqlite_0004_read_conversations },
    { tag: "0005_outbox_room", sql: sqlite_0005_outbox_room },
    { tag: "0006_channel_feedback", sql: sqlite_0006_channel_feedback },
    { tag: "0007_begun_work", sql: sqlite_0007_begun_work },
    { tag: "0008_counted_apart", sql: sqlite_0008_counted_apart },
    { tag: "0009_contacts", sql: sqlite_0009_contacts },
    { tag: "0010_desk", sql: sqlite_0010_desk },
    { tag: "0011_media_files", sql: sqlite_0011_media_files },
    { tag: "0012_forgettings", sql: sqlite_0012_forgettings },
    { tag: "0013_desk_reports", sql: sqlite_0013_desk_reports },
    { tag: "0014_replied_messages", sql: sqlite_0014_replied_messages },
    { tag: "0015_voice_transcripts", sql: sqlite_0015_voice_transcripts },
    { tag: "0016_group_speakers", sql: sqlite_0016_group_speakers },
    { tag: "0017_message_sums", sql: sqlite_0017_message_sums },
  ],
  postgres: [
    { tag: "0000_gateway", sql: postgres_0000_gateway },
    { tag: "0001_outbox_trail", sql: postgres_0001_outbox_trail },
    { tag: "0002_inbound", sql: postgres_0002_inbound },
    { tag: "0003_webchat", sql: postgres_0003_webchat },
    { tag: "0004_read_conversations", sql: postgres_0004_read_conversations },
    { tag: "0005_outbox_room", sql: postgres_0005_outbox_room },
    { tag: "0006_channel_feedback", sql: postgres_0006_channel_feedback },
    { tag: "0007_begun_work", sql: postgres_0007_begun_work },
    { tag: "0008_counted_apart", sql: postgres_0008_counted_apart },
    { tag: "0009_contacts", sql: postgres_0009_contacts },
    { tag: "0010_desk", sql: postgres_0010_desk },
    { tag: "0011_media_files", sql: postgres_0011_media_files },
    { tag: "0012_forgettings", sql: postgres_0012_forgettings },
    { tag: "0013_desk_reports", sql: postgres_0013_desk_reports },
    { tag: "0014_replied_messages", sql: postgres_0014_replied_messages },
    { tag: "0015_voice_transcripts", sql: postgres_0015_voice_transcripts },
    { tag: "0016_group_speakers", sql: postgres_0016_group_speakers },
    { tag: "0017_message_sums", sql: postgres_0017_message_sums },
  ],
};
