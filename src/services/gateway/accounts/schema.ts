import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Accounts of tenants at the channels. */
export const accountTables = ({ table, id, text, flag, instant, json, index, unique }: Columns) => ({
  accounts: table(
    "accounts",
    {
      id: id("id").primaryKey(),
      tenantId: id("tenant_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      externalId: text("external_id").notNull(),
      /** Sealed JSON; see credentials.ts. */
      credentials: text("credentials").notNull(),
      /** The credentials as they are shown. */
      masked: json<Record<string, string>>("masked").notNull(),
      emulated: flag("emulated").notNull(),
      /** The provider's error that paused the account; null while it works. */
      pausedReason: text("paused_reason"),
      /** No message is sent before this time, because the provider asked to wait. */
      quietUntil: instant("quiet_until"),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [
      unique("accounts_external").on(row.channel, row.externalId),
      index("accounts_tenant").on(row.tenantId, row.createdAt, row.id),
    ],
  ),
});
