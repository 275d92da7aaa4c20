import { expect, test } from "bun:test";
import type { AppError } from "../../../src/kit/app-error.ts";
import { compareTexts } from "../../../src/retrieval/stores/compare-texts.ts";
import type { RowSelection, VectorCollection } from "../../../src/retrieval/stores/vector-store.ts";
import { never, newKey, sampleBatch } from "../../support/sample-vectors.ts";
import { onEachVectorStore } from "../../support/vector-stores.ts";

const dimension = 3;

const idsOf = async (collection: VectorCollection, what: RowSelection = {}) =>
  (await collection.list(what, { limit: 100 })).map(({ id }) => id);

onEachVectorStore("rows", (tested) => {
  test("a row comes back as it was given", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const metadata = {
      text: "größer 日本 😀",
      number: -1.5e-7,
      large: 2 ** 53,
      flag: false,
      none: null,
      list: ["a", 1, true, null, ["b"]],
      empty: {},
      nested: { deep: { deeper: [{ a: 1 }] }, "with.dot": 1 },
      "": "no name",
      __proto_: 1,
    };
    const text = "Erste Zeile\n\tzweite “Zeile”; 'quoted' \\ {} $1 ?";
    await collection.add(sampleBatch([{ id: "r-1", group: "doc/1", text, metadata }], dimension));
    const row = { id: "r-1", group: "doc/1", text, metadata };
    expect(await collection.list({}, { limit: 10 })).toEqual([row]);
    expect(await collection.nearest({ vector: Float32Array.of(1, 0, 0), limit: 5, signal: never })).toEqual([
      { ...row, score: expect.closeTo(1, 5) },
    ]);
    expect(await collection.count()).toBe(1);
    expect(collection.dimension).toBe(dimension);
  });

  test("the same batch again changes nothing, and an id that is there is replaced in all parts", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const batch = sampleBatch([{ id: "a", metadata: { old: 1, kept: 1 } }, { id: "b" }], dimension);
    await collection.add(batch);
    await collection.add(batch);
    expect(await idsOf(collection)).toEqual(["a", "b"]);

    const row = { id: "a", group: "group-2", text: "other", metadata: { kept: 2 }, vector: [0, 1, 0] };
    await collection.add(sampleBatch([row], dimension, "write-2"));
    expect(await collection.count()).toBe(2);
    const { vector: _, ...stored } = row;
    expect(await collection.list({ ids: ["a"] }, { limit: 5 })).toEqual([stored]);
    const query = { vector: Float32Array.of(0, 1, 0), limit: 1, signal: never };
    expect(await collection.nearest(query)).toEqual([{ ...stored, score: expect.closeTo(1, 5) }]);
    expect(await collection.nearest({ ...query, filter: { old: { eq: 1 } } })).toEqual([]);
    expect(await idsOf(collection, { filter: { old: { eq: 1 } } })).toEqual([]);
    expect(await idsOf(collection, { group: "group-1" })).toEqual(["b"]);
    expect(await idsOf(collection, { writes: ["write-2"] })).toEqual(["a"]);
  });

  test("of two rows with one id in a batch the later one stays; an empty batch is fine", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    await collection.add(sampleBatch([], dimension));
    await collection.add(
      sampleBatch(
        [
          { id: "a", text: "first" },
          { id: "a", text: "second" },
        ],
        dimension,
      ),
    );
    expect(await collection.list({}, { limit: 5 })).toMatchObject([{ id: "a", text: "second" }]);
    expect(await collection.count()).toBe(1);
  });

  const rows = [
    { id: "a", group: "one", metadata: { lang: "en" } },
    { id: "b", group: "one", metadata: { lang: "de" } },
    { id: "c", group: "two", metadata: { lang: "en" } },
  ];
  const later = [
    { id: "d", group: "two", metadata: { lang: "de" } },
    { id: "e", group: "one", metadata: { lang: ["en", "de"] } },
  ];
  test.each<[RowSelection, string[]]>([
    [{ ids: ["a", "e", "nobody"] }, ["b", "c", "d"]],
    [{ ids: [] }, ["a", "b", "c", "d", "e"]],
    [{ group: "one" }, ["c", "d"]],
    [{ group: "One" }, ["a", "b", "c", "d", "e"]],
    [{ writes: ["w-2"] }, ["a", "b", "c"]],
    [{ writes: ["w-1", "w-2"] }, []],
    [{ writes: [] }, ["a", "b", "c", "d", "e"]],
    [{ filter: { lang: { eq: "en" } } }, ["b", "d"]],
    [{ group: "one", writes: ["w-2"] }, ["a", "b", "c", "d"]],
    [{ group: "one", filter: { lang: { in: ["de"] } } }, ["a", "c", "d"]],
    [
      { ids: ["a", "b"], group: "one", writes: ["w-1"], filter: { lang: { eq: "de" } } },
      ["a", "c", "d", "e"],
    ],
    [{ ids: ["a"], group: "two" }, ["a", "b", "c", "d", "e"]],
  ])("removing %j leaves %j, and the same is listed before", async (what, left) => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    await collection.add(sampleBatch(rows, dimension, "w-1"));
    await collection.add(sampleBatch(later, dimension, "w-2"));
    const all = ["a", "b", "c", "d", "e"];
    expect(await idsOf(collection, what)).toEqual(all.filter((id) => !left.includes(id)));
    await collection.remove(what);
    expect(await idsOf(collection)).toEqual(left);
    await collection.remove(what);
    expect(await collection.count()).toBe(left.length);
    const found = await collection.nearest({ vector: Float32Array.of(1, 0, 0), limit: 10, signal: never });
    expect(found.map(({ id }) => id).sort()).toEqual(left);
  });

  test("removing without naming anything is refused", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    await collection.add(sampleBatch(rows, dimension));
    const refused: AppError = await collection.remove({}).catch((thrown) => thrown);
    expect(refused.code).toBe("invalid_request");
    expect(await collection.count()).toBe(3);
  });

  test("rows are listed in the order of their ids, page by page", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const ids = ["b", "a", "A", "ä", "10", "9", "a b", "a#1", "a#10", "a#2", "\u{1f600}", "\uffee", "日"];
    await collection.add(
      sampleBatch(
        ids.map((id) => ({ id, group: id < "b" ? "low" : "high" })),
        dimension,
      ),
    );
    const sorted = [...ids].sort(compareTexts);
    expect(sorted.indexOf("\u{1f600}")).toBe(ids.length - 1);
    const listed: string[] = [];
    for (let after: string | undefined; ; ) {
      const page = await collection.list({}, { limit: 4, ...(after !== undefined && { after }) });
      listed.push(...page.map(({ id }) => id));
      if (page.length < 4) break;
      after = page.at(-1)?.id;
    }
    expect(listed).toEqual(sorted);
    const low = await collection.list({ group: "low" }, { after: "a#1", limit: 2 });
    expect(low.map(({ id }) => id)).toEqual(["a#10", "a#2"]);
    expect(await collection.list({}, { limit: 0 })).toEqual([]);
  });

  test("a dropped collection is empty when it is opened again, with any dimension", async () => {
    await using store = tested.open();
    const key = newKey();
    await store.drop(key);
    const collection = await store.open(key, dimension);
    await collection.add(sampleBatch(rows, dimension));
    await store.drop(key);
    const again = await store.open(key, 5);
    expect(await again.count()).toBe(0);
    expect(await again.list({}, { limit: 5 })).toEqual([]);
  });

  test("a handle of a dropped collection finds nothing, and may fill it again", async () => {
    await using store = tested.open();
    const key = newKey();
    const collection = await store.open(key, dimension);
    await collection.add(sampleBatch(rows, dimension));
    await store.drop(key);
    const query = { vector: Float32Array.of(1, 0, 0), limit: 10, signal: never };
    expect(await collection.nearest(query)).toEqual([]);
    expect(await collection.count()).toBe(0);
    await collection.remove({ group: "one" });
    await collection.add(sampleBatch(rows, dimension));
    expect(await idsOf(await store.open(key, dimension))).toEqual(["a", "b", "c"]);
  });

  if (!tested.keepsRows) return;

  test("rows are there after the store was closed and opened again", async () => {
    const key = newKey();
    {
      await using store = tested.open();
      await (await store.open(key, dimension)).add(sampleBatch(rows, dimension));
    }
    await using store = tested.open();
    expect(await idsOf(await store.open(key, dimension), { group: "one" })).toEqual(["a", "b"]);
  });

  if (!tested.hasServer) return;

  test("two that use one server see each other's rows", async () => {
    await using one = tested.open();
    await using other = tested.open();
    const key = newKey();
    const [mine, theirs] = [await one.open(key, dimension), await other.open(key, dimension)];
    await mine.add(sampleBatch(rows, dimension));
    await theirs.remove({ ids: ["a"] });
    expect(await idsOf(mine)).toEqual(["b", "c"]);
    await other.drop(key);
    await theirs.add(sampleBatch([{ id: "new" }], dimension));
    expect(await idsOf(mine)).toEqual(["new"]);
    await mine.add(sampleBatch([{ id: "newer" }], dimension));
    expect(await idsOf(theirs)).toEqual(["new", "newer"]);
  });
});
