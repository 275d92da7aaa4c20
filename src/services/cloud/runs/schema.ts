import type { Columns } from "../../../storage/tables/columns.ts";

/** Open streams of orgs, over all processes that share the database. */
export const runTables = ({ table, id, instant, index }: Columns) => ({
  openStreams: table(
    "open_streams",
    {
      id: id("id").primaryKey(),
      orgId: id("org_id").notNull(),
      /** The process that has the socket. */
      owner: id("owner").notNull(),
      /** Renewed by the owner. After it, the owner has died and the place is free. */
      expiresAt: instant("expires_at").notNull(),
    },
    (stream) => [
      index("open_streams_org").on(stream.orgId, stream.expiresAt),
      index("open_streams_owner").on(stream.owner),
    ],
  ),
});
