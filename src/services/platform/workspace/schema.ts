import type { Columns } from "../../../storage/tables/columns.ts";

/** Records of what a workspace's files became, so that an apply deletes only what an apply created. */
export const workspaceTables = ({ table, id, text, integer, instant, json, primaryKey }: Columns) => ({
  workspaces: table("workspaces", {
    tenantId: id("tenant_id").primaryKey(),
    /** Grows with each change of the records, so that of two applies at once one is refused. */
    revision: integer("revision").notNull(),
    changedAt: instant("changed_at").notNull(),
  }),
  workspaceResources: table(
    "workspace_resources",
    {
      tenantId: id("tenant_id").notNull(),
      /** Such as `platform.agent`. */
      resourceType: text("resource_type").notNull(),
      name: text("name").notNull(),
      /** Values as they were applied; secrets only as salted hashes. */
      applied: json<Record<string, unknown>>("applied").notNull(),
      appliedAt: instant("applied_at").notNull(),
    },
    (row) => [primaryKey({ columns: [row.tenantId, row.resourceType, row.name] })],
  ),
});
