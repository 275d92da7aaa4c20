import { sql } from "drizzle-orm";
import type { Columns } from "../../../storage/tables/columns.ts";

export type PlatformApprovalStatus = "pending" | "approved" | "rejected" | "expired";

/** Calls that wait for a person's decision. */
export const approvalTables = ({ table, id, text, instant, json, index, primaryKey }: Columns) => ({
  approvals: table(
    "approvals",
    {
      tenantId: id("tenant_id").notNull(),
      /** The runtime's id. */
      id: id("id").notNull(),
      invocationId: id("invocation_id").notNull(),
      agentName: text("agent_name").notNull(),
      sessionId: text("session_id").notNull(),
      /** Tool and arguments of the call, as sealed JSON. */
      asked: text("asked").notNull(),
      /** Permissions of the run's token, for the token of the resumed run. */
      reach: json<Record<string, unknown>>("reach").notNull(),
      status: text("status").$type<PlatformApprovalStatus>().notNull(),
      comment: text("comment"),
      /** `user:` and the id, or `key:` and the hash. */
      decidedBy: text("decided_by"),
      createdAt: instant("created_at").notNull(),
      expiresAt: instant("expires_at").notNull(),
      decidedAt: instant("decided_at"),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.id] }),
      index("approvals_pending").on(row.expiresAt).where(sql`${row.status} = 'pending'`),
    ],
  ),
});

export type TenantApprovalTables = ReturnType<typeof approvalTables>;
export type PlatformApprovalRow = TenantApprovalTables["approvals"]["$inferSelect"];
