import type { Columns } from "../../../storage/tables/columns.ts";

/** Changes to orgs. Each entry is written in the transaction of its change and never modified. */
export const auditTables = ({ table, id, text, instant, json, index }: Columns) => ({
  audit: table(
    "audit",
    {
      id: id("id").primaryKey(),
      at: instant("at").notNull(),
      /** Null for entries of a person's session. */
      orgId: id("org_id"),
      /** `user:` or `key:` and the id, `machine` for its owner's command line, or `system`. */
      actor: text("actor").notNull(),
      /** For example `agent.deploy` or `key.revoke`. */
      action: text("action").notNull(),
      /** Id or name of the changed object. */
      subject: text("subject"),
      detail: json<Record<string, unknown>>("detail").notNull(),
      requestId: text("request_id"),
    },
    (entry) => [index("audit_org").on(entry.orgId, entry.id)],
  ),
});
