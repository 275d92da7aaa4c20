import { inboxTables } from "../../../channels/inbox/schema.ts";
import { outboxTables } from "../../../channels/outbox/schema.ts";
import type { NoticeEvent } from "../../../contracts/platform/notices.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Tenant of the hooks that get notices of all tenants. */
export const installation = "installation";

/** Notices about tenants. They leave through the same outbox as messages of channels; a hook is its account. */
export const noticeTables = (columns: Columns) => {
  const { table, id, text, instant, json, index, primaryKey } = columns;
  return {
    ...outboxTables(columns, "notice_outbox"),
    // The outbox looks for receipts there. Hooks have none, so it stays empty.
    ...inboxTables<null>(columns, "notice_inbound"),
    accounts: table(
      "notice_hooks",
      {
        id: id("id").primaryKey(),
        /** `installation` for those of all tenants. */
        tenantId: id("tenant_id").notNull(),
        url: text("url").notNull(),
        /** Sealed. */
        secret: text("secret").notNull(),
        events: json<NoticeEvent[]>("events").notNull(),
        createdBy: text("created_by").notNull(),
        createdAt: instant("created_at").notNull(),
        pausedReason: text("paused_reason"),
        quietUntil: instant("quiet_until"),
      },
      (hook) => [index("notice_hooks_tenant").on(hook.tenantId)],
    ),
    /** Notices that were given: each once per tenant, event and occasion. */
    noticeMarks: table(
      "notice_marks",
      {
        tenantId: id("tenant_id").notNull(),
        event: text("event").$type<NoticeEvent>().notNull(),
        /** Period and threshold, or the thing that the notice is about. */
        occasion: id("occasion").notNull(),
        at: instant("at").notNull(),
      },
      (row) => [
        primaryKey({ columns: [row.tenantId, row.event, row.occasion] }),
        index("notice_marks_age").on(row.at),
      ],
    ),
  };
};

export type NoticeTables = ReturnType<typeof noticeTables>;
export type HookRow = NoticeTables["accounts"]["$inferSelect"];
