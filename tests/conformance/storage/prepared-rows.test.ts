import { expect, test } from "bun:test";
import { preparedRows } from "../../../src/storage/prepared-rows.ts";
import { sampleTables } from "../../support/sample-tables.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

type Tables = ReturnType<typeof sampleTables>;

const insertThings = preparedRows(
  "insert_things",
  ["id", "name", "at", "body", "price", "isHot", "count"],
  (tx, { things }: Tables, rows) => tx.insert(things).values(rows).onConflictDoNothing(),
);

onEachEngine("prepared rows", (engine) => {
  const rowOf = (number: number) => ({
    id: `id${String(number).padStart(3, "0")}`,
    name: number % 5 === 0 ? null : `name ${number}`,
    at: new Date(number * 1000),
    body: number % 3 === 0 ? null : { deep: [number, "text", null] },
    price: number,
    isHot: number % 2 === 0,
    count: number === 7 ? null : 1 - number,
  });

  test.each([0, 1, 15, 16, 17, 40])("%i rows are inserted as they are", async (count) => {
    await using storage = await engine.open({ tables: sampleTables });
    const rows = Array.from({ length: count }, (_, number) => rowOf(number));
    await storage.transact((tx) => insertThings(tx, storage.tables, rows));
    const { things } = storage.tables;
    const stored = await storage.read.select().from(things).orderBy(things.id);
    expect(stored).toEqual(rows.map((row) => ({ ...row, ownerId: null, weight: null })));
  });

  test("rows that conflict with stored ones stay out, the others are inserted", async () => {
    await using storage = await engine.open({ tables: sampleTables });
    const insert = (...numbers: number[]) =>
      storage.transact((tx) => insertThings(tx, storage.tables, numbers.map(rowOf)));
    await insert(1);
    await insert(...Array.from({ length: 20 }, (_, number) => number));
    const { things } = storage.tables;
    expect(await storage.read.$count(things)).toBe(20);
  });

  test.each([0, 20])("a value that can't be stored is refused in row %i", async (number) => {
    await using storage = await engine.open({ tables: sampleTables });
    const rows = Array.from({ length: 21 }, (_, at) => ({ ...rowOf(at), count: at === number ? 0.5 : 1 }));
    await expect(storage.transact((tx) => insertThings(tx, storage.tables, rows))).rejects.toMatchObject({
      code: "number_not_representable",
    });
    expect(await storage.read.$count(storage.tables.things)).toBe(0);
  });
});
