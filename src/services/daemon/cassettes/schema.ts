import type { CassetteSummary } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** Recordings of the nodes of a shared database. One node alone keeps its own in files. */
export const cassetteTables = ({ table, id, text, json, integer, instant, index, primaryKey }: Columns) => ({
  cassettes: table(
    "cassettes",
    {
      tenant: id("tenant").notNull(),
      id: id("id").notNull(),
      agent: text("agent").notNull(),
      summary: json<CassetteSummary>("summary").notNull(),
      /** The file's text: JSON, whose escapes make any text storable. */
      text: text("text").notNull(),
      bytes: integer("bytes").notNull(),
      at: instant("at").notNull(),
    },
    (cassette) => [
      primaryKey({ columns: [cassette.tenant, cassette.id] }),
      index("cassettes_age").on(cassette.at),
    ],
  ),
});

export type CassetteTables = ReturnType<typeof cassetteTables>;
