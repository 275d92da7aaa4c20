import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Phone numbers that a channel verified for its users. */
export const identityTables = ({ table, id, text, instant, index, primaryKey }: Columns) => ({
  identities: table(
    "identities",
    {
      tenantId: id("tenant_id").notNull(),
      channel: text("channel").$type<ChannelName>().notNull(),
      /** International, with `+`. */
      phone: text("phone").notNull(),
      /** Address on the channel. */
      externalUser: text("external_user").notNull(),
      verifiedAt: instant("verified_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.channel, row.phone, row.externalUser] }),
      index("identities_user").on(row.tenantId, row.channel, row.externalUser),
    ],
  ),
});
