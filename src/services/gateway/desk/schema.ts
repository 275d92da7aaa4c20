import type { ConversationState, DeskEntryKind } from "../../../contracts/gateway/desk.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** What people at the desk decide and write about conversations. */
export const deskTables = ({ table, id, text, instant, json, index, unique, primaryKey }: Columns) => ({
  /** A conversation without a row is open, and nobody's. */
  desk: table(
    "desk",
    {
      conversationId: id("conversation_id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      assignee: text("assignee"),
      labels: json<string[]>("labels").notNull(),
      state: text("state").$type<ConversationState>().notNull(),
      /** A conversation is open again from this time on. */
      snoozedUntil: instant("snoozed_until"),
      needsReason: text("needs_reason"),
      needsSince: instant("needs_since"),
    },
    (row) => [index("desk_assignee").on(row.assignee), index("desk_needs").on(row.needsSince)],
  ),
  /** Private notes, and the decisions themselves: who, what, when. */
  deskEntries: table(
    "desk_entries",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      conversationId: id("conversation_id").notNull(),
      kind: text("kind").$type<DeskEntryKind>().notNull(),
      /** Null: Argosy itself, or nobody was named. */
      by: text("by_person"),
      text: text("text").notNull(),
      at: instant("at").notNull(),
    },
    (row) => [
      index("desk_entries_conversation").on(row.conversationId, row.at, row.id),
      index("desk_entries_age").on(row.at),
    ],
  ),
  /** Up to where a named person has read. */
  deskSeen: table(
    "desk_seen",
    {
      conversationId: id("conversation_id").notNull(),
      person: id("person").notNull(),
      tenantId: id("tenant_id").notNull(),
      seenAt: instant("seen_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.conversationId, row.person] }),
      index("desk_seen_age").on(row.seenAt),
    ],
  ),
  /** Persons who wrote messages. */
  messageAuthors: table(
    "message_authors",
    {
      messageId: id("message_id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      author: text("author").notNull(),
      at: instant("at").notNull(),
    },
    (row) => [index("message_authors_age").on(row.at)],
  ),
  cannedReplies: table(
    "canned_replies",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      name: text("name").notNull(),
      text: text("text").notNull(),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [unique("canned_replies_name").on(row.tenantId, row.name)],
  ),
  /** The words of each conversation's messages, for the search. */
  messageWords: table(
    "message_words",
    {
      word: id("word").notNull(),
      tenantId: id("tenant_id").notNull(),
      conversationId: id("conversation_id").notNull(),
      /** Time of a message with the word, at most a day before the newest such one. */
      at: instant("at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.word, row.tenantId, row.conversationId] }),
      index("message_words_conversation").on(row.conversationId),
      index("message_words_age").on(row.at),
    ],
  ),
});

export type DeskTables = ReturnType<typeof deskTables>;
