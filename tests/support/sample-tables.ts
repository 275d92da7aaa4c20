import type { Columns } from "../../src/storage/tables/columns.ts";

/** Tables with every kind of column, for the storage tests. */
export const sampleTables = (columns: Columns) => {
  const { table, id, text, instant, json, money, flag, integer, real, index, unique, primaryKey } = columns;
  const owners = table("owners", {
    id: id("id").primaryKey(),
    balance: money("balance").notNull().default(0),
  });
  return {
    owners,
    things: table(
      "things",
      {
        id: id("id").primaryKey(),
        ownerId: id("owner_id").references(() => owners.id),
        name: text("name"),
        at: instant("at"),
        body: json<unknown>("body"),
        price: money("price"),
        isHot: flag("is_hot").notNull().default(false),
        count: integer("count"),
        weight: real("weight"),
      },
      (thing) => [unique("things_name_key").on(thing.name), index("things_at").on(thing.at, thing.id)],
    ),
    jobs: table(
      "jobs",
      {
        queue: id("queue").notNull(),
        id: integer("id").notNull(),
        claimedBy: text("claimed_by"),
      },
      (job) => [primaryKey({ columns: [job.queue, job.id] })],
    ),
  };
};
