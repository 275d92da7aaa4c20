import type { ChannelName } from "../../contracts/gateway/channels.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Columns } from "../../storage/tables/columns.ts";

/** Progress of an event; see inbound-step.ts. */
export type EventState = "waiting" | "working" | "done" | "parked";

/** A delivered event as it is stored: its instants are texts. */
export type StoredEvent = { type: string } & Record<string, unknown>;

/**
 * Events of deliveries: both the queue, and the ids already seen. `Plan` is what a service notes of an event before it works on it. `name` is
 * the table's.
 */
export const inboxTables = <Plan>(
  { table, id, text, instant, json, integer, index, unique }: Columns,
  name: string,
) => ({
  inbound: table(
    name,
    {
      /** Ascending. */
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      accountId: id("account_id").notNull(),
      /** Equal for each delivery of the same event. */
      dedupeKey: text("dedupe_key").notNull(),
      /** `message`, `status`, `echo`, `identity`, `moved`, `reaction`, `reachable` or `record`. */
      kind: text("kind").notNull(),
      event: json<StoredEvent>("event").notNull(),
      /** The provider's id of the message. */
      channelMessageId: text("channel_message_id"),
      /** Account and conversation while the event is open, null after; events of one lane are processed in order. */
      lane: text("lane"),
      state: text("state").$type<EventState>().notNull(),
      /** Tries that ended with an error. */
      tries: integer("tries").notNull(),
      /** Tries that a process left unfinished. */
      interruptions: integer("interruptions").notNull(),
      dueAt: instant("due_at").notNull(),
      /** The provider's time of the event, or that of its arrival. */
      sentAt: instant("sent_at").notNull(),
      receivedAt: instant("received_at").notNull(),
      /** Process that works on it. */
      owner: id("owner"),
      /** Try that is under way; every change names it. */
      attemptId: id("attempt_id"),
      leaseUntil: instant("lease_until"),
      conversationId: id("conversation_id"),
      /** Null before the first try, and after the last. */
      plan: json<Plan>("plan"),
      /** Id of the run. */
      invocationId: text("invocation_id"),
      /** What became of it, once it is closed. */
      outcome: text("outcome"),
      closedAt: instant("closed_at"),
    },
    (row) => [
      unique(`${name}_dedupe`).on(row.accountId, row.dedupeKey),
      index(`${name}_due`).on(row.state, row.dueAt, row.id),
      index(`${name}_lane`).on(row.lane, row.sentAt, row.id),
      index(`${name}_account`).on(row.accountId, row.state),
      index(`${name}_conversation`).on(row.conversationId, row.closedAt),
      index(`${name}_message`).on(row.channelMessageId),
      index(`${name}_age`).on(row.receivedAt),
    ],
  ),
});

export type InboxTables = ReturnType<typeof inboxTables<unknown>>;
export type InboxStorage = Storage<InboxTables>;
export type InboxRow = InboxTables["inbound"]["$inferSelect"];
