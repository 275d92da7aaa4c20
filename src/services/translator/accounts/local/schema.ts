import type { ChangeAction } from "../../../../contracts/translator/reconcile.ts";
import type { Columns } from "../../../../storage/tables/columns.ts";
import type { JsonObject } from "../../mapping/section-table.ts";

/** Embedded accounts: the resources that they hold, and the failures that they were told to have. */
export const localAccountTables = ({
  table,
  id,
  text,
  instant,
  json,
  integer,
  unique,
  primaryKey,
}: Columns) => ({
  localResources: table(
    "local_resources",
    {
      account: text("account").notNull(),
      id: id("id").notNull(),
      /** `<kind>/<name>` of the manifest. */
      spec: text("spec").notNull(),
      resourceType: text("resource_type").notNull(),
      name: text("name").notNull(),
      config: json<JsonObject>("config").notNull(),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.account, row.id] }),
      unique("local_resources_name").on(row.account, row.spec, row.resourceType, row.name),
    ],
  ),
  localFailures: table(
    "local_failures",
    {
      account: text("account").notNull(),
      action: text("action").$type<ChangeAction>().notNull(),
      /** Empty: of every type. */
      resourceType: text("resource_type").notNull(),
      message: text("message").notNull(),
      /** Calls that still fail. */
      remaining: integer("remaining").notNull(),
    },
    (row) => [primaryKey({ columns: [row.account, row.action, row.resourceType] })],
  ),
});

export type LocalAccountTables = ReturnType<typeof localAccountTables>;
