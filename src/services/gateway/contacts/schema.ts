import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { AddressKind } from "../../../contracts/gateway/contacts.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** The persons and groups that a tenant's channels are in touch with, and their addresses. */
export const contactTables = ({ table, id, text, instant, json, integer, index, primaryKey }: Columns) => ({
  contacts: table(
    "contacts",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      name: text("name"),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [index("contacts_tenant").on(row.tenantId, row.id)],
  ),
  contactAddresses: table(
    "contact_addresses",
    {
      tenantId: id("tenant_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      /** Id of the account that an address is valid for; empty: for all of the channel. */
      scope: text("scope").notNull(),
      value: text("value").notNull(),
      kind: text("kind").$type<AddressKind>().notNull(),
      contactId: id("contact_id").notNull(),
      seenAt: instant("seen_at").notNull(),
      /** Since when the person has another number; who writes from this one later is somebody else. */
      leftAt: instant("left_at"),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.channel, row.scope, row.value] }),
      index("contact_addresses_contact").on(row.contactId),
    ],
  ),
  /** Ids of contacts and conversations that became part of others. */
  mergedIds: table(
    "merged_ids",
    {
      id: id("id").notNull(),
      of: text("of").$type<"contact" | "conversation">().notNull(),
      tenantId: id("tenant_id").notNull(),
      intoId: id("into_id").notNull(),
      /** Session of a conversation's agents, which the one that it became part of does not go on with. */
      sessionId: text("session_id"),
    },
    (row) => [primaryKey({ columns: [row.of, row.id] }), index("merged_ids_into").on(row.intoId)],
  ),
  /** Who wrote messages of groups: a group's conversation is with the group. */
  groupSpeakers: table(
    "group_speakers",
    {
      messageId: id("message_id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      accountId: id("account_id").notNull(),
      conversationId: id("conversation_id").notNull(),
      address: text("address").notNull(),
      at: instant("at").notNull(),
    },
    (row) => [
      index("group_speakers_address").on(row.tenantId, row.address),
      index("group_speakers_conversation").on(row.conversationId),
      index("group_speakers_age").on(row.at),
    ],
  ),
  /** Contacts that are being forgotten: what is still to be deleted of them. */
  forgettings: table(
    "forgettings",
    {
      /** Id that the contact had. */
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      addresses: json<string[]>("addresses").notNull(),
      accountIds: json<string[]>("account_ids").notNull(),
      conversationIds: json<string[]>("conversation_ids").notNull(),
      tries: integer("tries").notNull(),
      dueAt: instant("due_at").notNull(),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [index("forgettings_due").on(row.dueAt)],
  ),
  /** Their sessions, until the platform has forgotten them. */
  forgottenSessions: table(
    "forgotten_sessions",
    {
      tenantId: id("tenant_id").notNull(),
      sessionId: text("session_id").notNull(),
      forgettingId: id("forgetting_id").notNull(),
      /** Account whose binding has the key with which it is forgotten. */
      accountId: id("account_id").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.sessionId] }),
      index("forgotten_sessions_of").on(row.forgettingId),
    ],
  ),
});
