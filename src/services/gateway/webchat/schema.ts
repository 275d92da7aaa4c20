import type { Media } from "../../../contracts/gateway/messages.ts";
import type { ThreadSide } from "../../../contracts/gateway/webchat.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Web chat: the sites that may show it, and the threads as their visitors see them. */
export const webchatTables = ({ table, id, text, instant, json, index, unique }: Columns) => ({
  webchatSites: table("webchat_sites", {
    accountId: id("account_id").primaryKey(),
    tenantId: id("tenant_id").notNull(),
    /** Origins of pages as browsers send them. */
    origins: json<string[]>("origins").notNull(),
    updatedAt: instant("updated_at").notNull(),
  }),
  webchatThreads: table(
    "webchat_threads",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      accountId: id("account_id").notNull(),
      visitor: text("visitor").notNull(),
      /** Time of its newest message. Every new message changes it, so messages of one thread are stored one after the other. */
      lastAt: instant("last_at").notNull(),
    },
    (row) => [
      unique("webchat_threads_visitor").on(row.accountId, row.visitor),
      index("webchat_threads_recent").on(row.lastAt),
    ],
  ),
  webchatMessages: table(
    "webchat_messages",
    {
      /** For an answer, its id in the outbox. */
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      threadId: id("thread_id").notNull(),
      side: text("side").$type<ThreadSide>().notNull(),
      text: text("text").notNull(),
      media: json<Media[]>("media").notNull(),
      /** The visitor's own name of the message. */
      ref: text("ref"),
      at: instant("at").notNull(),
    },
    (row) => [
      unique("webchat_messages_order").on(row.threadId, row.at),
      unique("webchat_messages_ref").on(row.threadId, row.ref),
      index("webchat_messages_age").on(row.at),
    ],
  ),
});
