import { expect, test } from "bun:test";
import { and, desc, eq, sql } from "drizzle-orm";
import { equalsBound, statement } from "../../../src/storage/statement.ts";
import type { ReadQuery } from "../../../src/storage/storage.ts";
import { sampleTables } from "../../support/sample-tables.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

type SampleTables = ReturnType<typeof sampleTables>;

const ofOwner = statement((query: ReadQuery, { owners, things }: SampleTables) =>
  query
    .select({ id: things.id })
    .from(things)
    .innerJoin(owners, eq(owners.id, things.ownerId))
    .where(and(equalsBound(things.ownerId, "owner"), equalsBound(things.count, "count")))
    .orderBy(desc(things.id))
    .limit(sql.placeholder("limit"))
    .prepare("sample_of_owner"),
);

onEachEngine("a bound equality", (engine) => {
  test("finds what `=` finds, as many as the bound limit says", async () => {
    await using storage = await engine.open({ tables: sampleTables });
    const { read, tables, transact } = storage;
    await transact(async (tx) => {
      await tx.insert(tables.owners).values([{ id: "ann" }, { id: "bob" }]);
      await tx.insert(tables.things).values([
        { id: "a", ownerId: "ann", count: 1 },
        { id: "b", ownerId: "ann", count: 1 },
        { id: "c", ownerId: "ann", count: 2 },
        { id: "d", ownerId: "bob", count: 1 },
        { id: "e", ownerId: "ann", count: null },
      ]);
    });
    const found = async (owner: string | null, count: number | null, limit: number) => {
      const rows = await ofOwner(read, tables).execute({ owner, count, limit });
      return rows.map(({ id }) => id);
    };

    expect(await found("ann", 1, 10)).toEqual(["b", "a"]);
    expect(await found("ann", 1, 1)).toEqual(["b"]);
    expect(await found("ann", 1, 0)).toEqual([]);
    expect(await found("bob", 1, 10)).toEqual(["d"]);
    expect(await found("ANN", 1, 10)).toEqual([]);
    // Null equals nothing, not even null.
    expect(await found("ann", null, 10)).toEqual([]);
    expect(await found(null, 1, 10)).toEqual([]);
  });
});
