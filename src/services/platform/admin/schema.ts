import type { Columns } from "../../../storage/columns.ts";

/** What operators changed; written in the transaction of the change, never changed itself. */
export const auditTables = ({ table, id, text, instant, json, index }: Columns) => ({
  audit: table(
    "audit",
    {
      id: id("id").primaryKey(),
      at: instant("at").notNull(),
      /** `user:` and the id, `token` for the operator's token, `cli`, or `system`. */
      actor: text("actor").notNull(),
      /** `plan.create`, `subscription.cancel` … */
      action: text("action").notNull(),
      tenantId: id("tenant_id"),
      /** The id of what was changed. */
      subject: text("subject"),
      detail: json<Record<string, unknown>>("detail").notNull(),
      requestId: text("request_id"),
    },
    (entry) => [index("audit_tenant").on(entry.tenantId, entry.id)],
  ),
});

export type AuditTables = ReturnType<typeof auditTables>;
