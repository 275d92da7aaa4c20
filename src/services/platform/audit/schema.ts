import type { Columns } from "../../../storage/tables/columns.ts";

/** Changes by operators. Each entry is written in the transaction of its change and never modified. */
export const auditTables = ({ table, id, text, instant, json, index }: Columns) => ({
  audit: table(
    "audit",
    {
      id: id("id").primaryKey(),
      at: instant("at").notNull(),
      /** `user:` and the id, `token` for the operator's token, `cli`, or `system`. */
      actor: text("actor").notNull(),
      /** For example `plan.create` or `subscription.cancel`. */
      action: text("action").notNull(),
      tenantId: id("tenant_id"),
      /** Id of the changed object. */
      subject: text("subject"),
      detail: json<Record<string, unknown>>("detail").notNull(),
      requestId: text("request_id"),
    },
    (entry) => [index("audit_tenant").on(entry.tenantId, entry.id)],
  ),
});

export type AuditTables = ReturnType<typeof auditTables>;
