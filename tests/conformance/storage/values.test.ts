import { expect, test } from "bun:test";
import { and, asc, eq, gt, or, sql } from "drizzle-orm";
import fc from "fast-check";
import { statement } from "../../../src/storage/statement.ts";
import type { Query, Storage } from "../../../src/storage/storage.ts";
import { refusal } from "../../support/refusal.ts";
import { sampleTables } from "../../support/sample-tables.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

type SampleTables = ReturnType<typeof sampleTables>;
type Thing = SampleTables["things"]["$inferInsert"];

const insertThing = statement((tx: Query, { things }: SampleTables) => {
  const { id, name, at, body, price, count, weight } = {
    id: sql.placeholder("id"),
    name: sql.placeholder("name"),
    at: sql.placeholder("at"),
    body: sql.placeholder("body"),
    price: sql.placeholder("price"),
    count: sql.placeholder("count"),
    weight: sql.placeholder("weight"),
  };
  return tx.insert(things).values({ id, name, at, body, price, count, weight }).prepare("insert_thing");
});

const nothing = { name: null, at: null, body: null, price: null, count: null, weight: null };

/** Stores through a plain and through a prepared insert, because drizzle encodes the two in different places. */
async function store(storage: Storage<SampleTables>, thing: Thing): Promise<void> {
  const { tables } = storage;
  await storage.transact((tx) =>
    tx.insert(tables.things).values({ ...nothing, ...thing, id: `plain ${thing.id}`, name: null }),
  );
  await storage.transact((tx) =>
    insertThing(tx, tables).execute({ ...nothing, ...thing, id: `prepared ${thing.id}` }),
  );
}

const stored = ({ read, tables }: Storage<SampleTables>, id: string) =>
  read
    .select()
    .from(tables.things)
    .where(or(eq(tables.things.id, `plain ${id}`), eq(tables.things.id, `prepared ${id}`)))
    .orderBy(tables.things.id);

onEachEngine("values", (engine) => {
  const open = () => engine.open({ tables: sampleTables });

  test("JSON comes back as it was, and the database knows its type", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const values: [unknown, string][] = [
      [{ a: 1, nested: { deep: [true, null] } }, "object"],
      [[1, "two"], "array"],
      [[], "array"],
      [{}, "object"],
      ["text", "text"],
      ['"quoted" \\u0000 \\ é 😀', "text"],
      ["", "text"],
      [5, "number"],
      [-1.5, "number"],
      [0, "number"],
      [true, "boolean"],
      [false, "boolean"],
    ];
    const sqliteNames: Record<string, string> = {
      integer: "number",
      real: "number",
      true: "boolean",
      false: "boolean",
    };
    const typeOf =
      engine.dialect === "postgres"
        ? sql<string>`jsonb_typeof(${things.body})`
        : sql<string>`json_type(${things.body})`;
    for (const [index, [body, type]] of values.entries()) {
      await store(storage, { id: `${index}`, body });
      const rows = await storage.read
        .select({ body: things.body, type: typeOf })
        .from(things)
        .where(sql`${things.id} like ${`% ${index}`}`);
      const read = rows.map((row) => ({
        body: row.body,
        type: sqliteNames[row.type] ?? row.type.replace("string", "text"),
      }));
      expect(read).toEqual([
        { body, type },
        { body, type },
      ]);
    }
    await store(storage, { id: "null", body: null });
    expect((await stored(storage, "null")).map((row) => row.body)).toEqual([null, null]);
    expect(await storage.read.$count(things, sql`${things.body} is null`)).toBe(2);
  });

  test("any JSON value that can be stored comes back equal", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const value = fc
      .jsonValue({ noUnicodeString: false })
      .filter((one) => one !== null && !/\\u(0000|d[89a-f])/.test(JSON.stringify(one)))
      .map((one) => JSON.parse(JSON.stringify(one)));
    await fc.assert(
      fc.asyncProperty(value, async (body) => {
        const [row] = await storage.transact((tx) =>
          tx
            .insert(things)
            .values({ id: "x", body })
            .onConflictDoUpdate({ target: things.id, set: { body } })
            .returning({ body: things.body }),
        );
        expect(row?.body).toEqual(body);
      }),
      { numRuns: 60 },
    );
  });

  test("integers past 2^31 and up to 2^53-1 are exact; others are refused", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const exact = [0, -1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, -(2 ** 31) - 1, 2 ** 53 - 1, -(2 ** 53) + 1];
    for (const count of exact) {
      await store(storage, { id: `${count}`, count, price: count });
      expect((await stored(storage, `${count}`)).map((row) => [row.count, row.price])).toEqual([
        [count, count],
        [count, count],
      ]);
      expect(await storage.read.$count(things, eq(things.count, count))).toBe(2);
    }
    const [last] = await storage.transact((tx) =>
      tx
        .update(things)
        .set({ count: sql`${things.count} - ${1}` })
        .where(eq(things.id, `plain ${2 ** 53 - 1}`))
        .returning({ count: things.count }),
    );
    expect(last?.count).toBe(2 ** 53 - 2);
    const total = sql`sum(${things.price})`.mapWith(Number);
    expect(
      await storage.read
        .select({ total })
        .from(things)
        .where(eq(things.price, 2 ** 32 + 1)),
    ).toEqual([{ total: 2 * (2 ** 32 + 1) }]);

    for (const unsafe of [2 ** 53, -(2 ** 53), 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      for (const column of ["count", "price"]) {
        expect(await refusal(store(storage, { id: "unsafe", [column]: unsafe }))).toMatchObject({
          kind: "invalid",
          code: "number_not_representable",
        });
      }
    }
    expect((await refusal(store(storage, { id: "nan", weight: Number.NaN }))).code).toBe(
      "number_not_representable",
    );
  });

  test("real numbers and flags come back as they were", async () => {
    await using storage = await open();
    for (const weight of [0.1, -0.25, 1e300, 5e-324, 3, 2 ** 60]) {
      await store(storage, { id: `${weight}`, weight, isHot: weight > 1 });
      const [plain, prepared] = await stored(storage, `${weight}`);
      expect([plain?.weight, plain?.isHot, prepared?.weight, prepared?.isHot]).toEqual([
        weight,
        weight > 1,
        weight,
        false,
      ]);
    }
  });

  test("instants keep their milliseconds; anything else is refused", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const texts = [
      "2026-11-21T00:38:27.001Z",
      "1969-12-31T23:59:59.999Z",
      "0001-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z",
    ];
    for (const text of texts) {
      const at = new Date(text);
      await store(storage, { id: text, at });
      expect((await stored(storage, text)).map((row) => row.at)).toEqual([at, at]);
      expect(await storage.read.$count(things, eq(things.at, at))).toBe(2);
    }
    for (const at of [new Date(Number.NaN), new Date(8.64e15), new Date("-000001-01-01T00:00:00Z")]) {
      expect((await refusal(store(storage, { id: "bad", at }))).code).toBe("instant_not_representable");
    }
  });

  test("text is equal and ordered by code points, in every locale", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const inOrder = [
      "",
      "A",
      "Z",
      "a",
      "b",
      "e\u0301",
      "z",
      "ß",
      "é",
      "ñ",
      "ss\u{200D}",
      "Ω",
      "日本",
      "\u{fffd}",
      "😀",
      "👩‍👩‍👧",
    ].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const [index, name] of inOrder.entries()) {
      await storage.transact((tx) => tx.insert(things).values({ id: `${index}`, name }));
    }
    const rows = await storage.read.select({ name: things.name }).from(things).orderBy(asc(things.name));
    expect(rows.map((row) => row.name)).toEqual(inOrder);
    for (const name of inOrder) expect(await storage.read.$count(things, eq(things.name, name))).toBe(1);
    expect(await storage.read.$count(things, eq(things.name, "É"))).toBe(0);
  });

  test("text that a database can't hold is refused before the database", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    for (const bad of ["a\0b", "\ud83d", "x\udc00y"]) {
      const refused = [
        () => storage.transact((tx) => tx.insert(things).values({ id: bad })),
        () => storage.transact((tx) => tx.insert(things).values({ id: "a", body: { deep: [bad] } })),
        () => storage.transact((tx) => tx.insert(things).values({ id: "a", body: { [bad]: 1 } })),
        () =>
          storage.transact((tx) =>
            insertThing(tx, storage.tables).execute({ ...nothing, id: "a", body: bad }),
          ),
        () => storage.read.select().from(things).where(eq(things.id, bad)),
        () => storage.read.select().from(things).where(sql`${things.id} = ${bad}`),
      ];
      for (const call of refused)
        expect(await refusal(call)).toMatchObject({ kind: "invalid", code: "text_not_storable" });
    }
    expect(await storage.read.$count(things)).toBe(0);
  });

  test("keyset paging over equal instants shows each row once", async () => {
    await using storage = await open();
    const { things } = storage.tables;
    const instants = [1000, 1000, 1000, 1001, 1000, 1002, 1001, 1001, 1000, 1000, 999].map(
      (ms) => new Date(ms),
    );
    await storage.transact((tx) =>
      tx.insert(things).values(instants.map((at, index) => ({ id: `t${index % 3}${index}`, at }))),
    );
    const all = await storage.read
      .select({ id: things.id, at: things.at })
      .from(things)
      .orderBy(things.at, things.id);
    for (const limit of [1, 2, 3, 4, 11]) {
      const seen: typeof all = [];
      for (;;) {
        const last = seen.at(-1);
        const after =
          last?.at && or(gt(things.at, last.at), and(eq(things.at, last.at), gt(things.id, last.id)));
        const page = await storage.read
          .select({ id: things.id, at: things.at })
          .from(things)
          .where(after ?? undefined)
          .orderBy(things.at, things.id)
          .limit(limit);
        if (page.length === 0) break;
        seen.push(...page);
      }
      expect(seen).toEqual(all);
    }
  });
});
