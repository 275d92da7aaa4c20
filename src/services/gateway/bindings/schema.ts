import type { BindingConfigInput } from "../../../contracts/gateway/bindings.ts";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Who answers the messages of an account. */
export const bindingTables = ({ table, id, text, instant, json, integer, index, unique }: Columns) => ({
  bindings: table(
    "bindings",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      accountId: id("account_id").notNull(),
      entryAgent: text("entry_agent"),
      fallbackMessage: text("fallback_message").notNull(),
      /** Sealed JSON; see binding-config.ts. */
      config: text("config").notNull(),
      /** The config as it is shown. */
      masked: json<BindingConfigInput>("masked").notNull(),
      /** Grows with each change, so that two changes at once don't overwrite each other. */
      revision: integer("revision").notNull(),
      createdAt: instant("created_at").notNull(),
      updatedAt: instant("updated_at").notNull(),
    },
    (row) => [
      unique("bindings_account").on(row.accountId),
      index("bindings_tenant").on(row.tenantId, row.createdAt, row.id),
    ],
  ),
});
