import type { Columns } from "./columns.ts";

/** The tables of the storage itself in every service's database. */
export const ownTables = ({ table, id, text, integer, instant, primaryKey }: Columns) => ({
  /** One row per name that at most one process holds at a time. Kept after release, so that terms only grow. */
  leases: table("leases", {
    name: id("name").primaryKey(),
    owner: text("owner").notNull(),
    term: integer("term").notNull(),
    expiresAt: instant("expires_at").notNull(),
  }),
  /** One row per sealing key that has sealed anything here; see key-check.ts. */
  sealingKeys: table("sealing_keys", {
    kid: id("kid").primaryKey(),
    proof: text("proof").notNull(),
    addedAt: instant("added_at").notNull(),
  }),
  /** Work that was begun and has not ended, and work that was interrupted too often; see begun-work.ts. */
  begunWork: table(
    "begun_work",
    {
      kind: id("kind").notNull(),
      key: id("key").notNull(),
      /** Process that does it; null if it stopped in order. */
      owner: text("owner"),
      interruptions: integer("interruptions").notNull(),
      parkedAt: instant("parked_at"),
    },
    (row) => [primaryKey({ columns: [row.kind, row.key] })],
  ),
  /** The row that a readiness check writes. */
  writeChecks: table("write_checks", {
    id: id("id").primaryKey(),
    at: instant("at").notNull(),
  }),
});

export type OwnTables = ReturnType<typeof ownTables>;
