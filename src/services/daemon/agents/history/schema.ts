import type { ManifestOrigin } from "../../../../contracts/daemon/agent-versions.ts";
import type { Columns } from "../../../../storage/tables/columns.ts";

/** Earlier manifests of agents, with their secrets masked. */
export const historyTables = ({ table, id, text, integer, flag, instant, primaryKey }: Columns) => ({
  agentManifests: table(
    "agent_manifests",
    {
      tenant: id("tenant").notNull(),
      agent: text("agent").notNull(),
      number: integer("number").notNull(),
      origin: text("origin").$type<ManifestOrigin>().notNull(),
      /** JSON text, whose escapes make any text storable. */
      manifest: text("manifest").notNull(),
      bytes: integer("bytes").notNull(),
      checksum: text("checksum").notNull(),
      masked: flag("masked").notNull(),
      at: instant("at").notNull(),
    },
    (version) => [primaryKey({ columns: [version.tenant, version.agent, version.number] })],
  ),
});

export type HistoryTables = ReturnType<typeof historyTables>;
export type ManifestRow = HistoryTables["agentManifests"]["$inferSelect"];
