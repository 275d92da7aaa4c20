import type { Columns } from "../../../storage/tables/columns.ts";
import type { JsonObject } from "../mapping/section-table.ts";

/** What was applied to accounts, and reconciles that haven't ended. */
export const reconcileTables = ({ table, text, flag, instant, json, integer, primaryKey }: Columns) => ({
  /** Resources that a reconcile created or changed, and hasn't deleted. */
  applied: table(
    "applied",
    {
      account: text("account").notNull(),
      kind: text("kind").notNull(),
      name: text("name").notNull(),
      resourceType: text("resource_type").notNull(),
      resourceName: text("resource_name").notNull(),
      /** The resource's id in the account. */
      resourceId: text("resource_id").notNull(),
      /** Place in the order of creation within the spec; resources are deleted in reverse. */
      position: integer("position").notNull(),
      /** References of the config, as `{kind}/{manifest}/{type}/{name}`. */
      bindings: json<string[]>("bindings").notNull(),
      /** The config as it was sent, with ids in place of references. */
      config: json<JsonObject>("config").notNull(),
      appliedAt: instant("applied_at").notNull(),
    },
    (row) => [primaryKey({ columns: [row.account, row.kind, row.name, row.resourceType, row.resourceName] })],
  ),
  /** Reconciles that were begun and haven't ended; after a crash they are resumed. */
  reconciles: table(
    "reconciles",
    {
      account: text("account").notNull(),
      kind: text("kind").notNull(),
      name: text("name").notNull(),
      /** True: the spec is being deleted with its resources. */
      isRemoval: flag("is_removal").notNull(),
      startedAt: instant("started_at").notNull(),
    },
    (row) => [primaryKey({ columns: [row.account, row.kind, row.name] })],
  ),
  /** Long-running operations of a cloud that were begun and not yet seen to end. */
  operations: table(
    "operations",
    {
      account: text("account").notNull(),
      kind: text("kind").notNull(),
      name: text("name").notNull(),
      resourceType: text("resource_type").notNull(),
      resourceName: text("resource_name").notNull(),
      /** The operation's name at the cloud. */
      operation: text("operation").notNull(),
      startedAt: instant("started_at").notNull(),
    },
    (row) => [primaryKey({ columns: [row.account, row.kind, row.name, row.resourceType, row.resourceName] })],
  ),
});

export type ReconcileTables = ReturnType<typeof reconcileTables>;
