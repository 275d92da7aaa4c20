import { sql } from "drizzle-orm";
import type { ForwardedMedia } from "../../../contracts/gateway/messages.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Files of messages: those that users sent, fetched from their provider, and those that are uploaded to be sent. */
export const mediaTables = ({ table, id, text, instant, json, integer, index, primaryKey }: Columns) => ({
  mediaFiles: table(
    "media_files",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      /** Account that got it; null: it was uploaded. */
      accountId: id("account_id"),
      conversationId: id("conversation_id"),
      kind: text("kind").notNull(),
      mimeType: text("mime_type").notNull(),
      fileName: text("file_name"),
      bytes: integer("bytes").notNull(),
      /** `wanted`: it is to be fetched; `gone`: the provider doesn't give it. */
      state: text("state").$type<"wanted" | "kept" | "gone">().notNull(),
      /** How its provider knows it; null: it was uploaded. */
      source: json<ForwardedMedia>("source"),
      tries: integer("tries").notNull(),
      /** Time of the next try to fetch it. */
      dueAt: instant("due_at").notNull(),
      createdAt: instant("created_at").notNull(),
      /** `wanted`: it is to be transcribed once it is kept; null: it isn't, or that is settled. */
      transcript: text("transcript").$type<"wanted">(),
    },
    (row) => [
      index("media_files_untranscribed").on(row.dueAt).where(sql`${row.transcript} is not null`),
      index("media_files_wanted").on(row.state, row.dueAt),
      index("media_files_tenant").on(row.tenantId, row.createdAt),
      index("media_files_conversation").on(row.conversationId),
      index("media_files_age").on(row.createdAt),
    ],
  ),
  /** Their bytes, sealed. They are stored before their file counts as kept. */
  mediaChunks: table(
    "media_chunks",
    {
      fileId: id("file_id").notNull(),
      part: integer("part").notNull(),
      tenantId: id("tenant_id").notNull(),
      sealed: text("sealed").notNull(),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [primaryKey({ columns: [row.fileId, row.part] }), index("media_chunks_age").on(row.createdAt)],
  ),
});
