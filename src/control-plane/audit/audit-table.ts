import type { Columns } from "../../storage/tables/columns.ts";

const auditColumns = ({ id, text, instant, json }: Columns, owner: string) => ({
  id: id("id").primaryKey(),
  at: instant("at").notNull(),
  /** `user:` or `key:` and the id; `system`; `token` for the operator's token; `cli` or `machine` for the machine's owner. */
  actor: text("actor").notNull(),
  /** For example `plan.create` or `key.revoke`. */
  action: text("action").notNull(),
  /** Tenant or org; null for entries that concern none, for example a person's session. */
  ownerId: id(owner),
  /** Id or name of the changed object. */
  subject: text("subject"),
  detail: json<Record<string, unknown>>("detail").notNull(),
  requestId: text("request_id"),
});

type AuditColumns = ReturnType<typeof auditColumns>;

interface OwnersAudit {
  /** Column of the tenant or org. */
  owner: "tenant_id" | "org_id";
  byOwner: string;
  /** Returns the columns in the order that the service's migrations have. */
  ordered?: (columns: AuditColumns) => AuditColumns;
}

/** The audit log of a service. Each entry is written in the transaction of its change and never modified. */
export const auditTables = (columns: Columns, { owner, byOwner, ordered = (all) => all }: OwnersAudit) => ({
  audit: columns.table("audit", ordered(auditColumns(columns, owner)), (entry) => [
    columns.index(byOwner).on(entry.ownerId, entry.id),
  ]),
});

export type AuditTables = ReturnType<typeof auditTables>;
