import { expect, test } from "bun:test";
import fc from "fast-check";
import { storeIdOf } from "../../../src/retrieval/rag/collections/store-id.ts";
import { contentHash } from "../../../src/retrieval/rag/ingest/document-content.ts";
import { combineFilters } from "../../../src/retrieval/rag/search/combine-filters.ts";
import { fuseRanks } from "../../../src/retrieval/rag/search/reciprocal-rank-fusion.ts";
import type { Reranker } from "../../../src/retrieval/reranking/reranker.ts";
import {
  type FieldCondition,
  matchesFilter,
  type VectorFilter,
} from "../../../src/retrieval/stores/filters/vector-filter.ts";
import { readRowId, rowId } from "../../../src/retrieval/stores/row-id.ts";
import type { VectorStore } from "../../../src/retrieval/stores/vector-store.ts";
import { hookedStore, ragWorld, ragWorldTables } from "../../support/rag-world.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const hits = (...ids: string[]) => ids.map((id, index) => ({ id, score: 1 - index / 10 }));

test("ranks of several lists are fused: an entry in both comes first", () => {
  const fused = fuseRanks([hits("a", "b", "c"), hits("c", "d")]);
  expect(fused.map(({ id }) => id)).toEqual(["c", "a", "b", "d"]);
  expect(fused[0]?.rankScore).toBeCloseTo(1 / 63 + 1 / 61, 12);
  // At equal ranks, the more similar one wins.
  const equal = fuseRanks([[{ id: "x", score: 0.1 }], [{ id: "y", score: 0.9 }]]);
  expect(equal.map(({ id }) => id)).toEqual(["y", "x"]);
  expect(fuseRanks([[], []])).toEqual([]);
});

const value = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom("a", "b", "c"), fc.boolean());
const bound = fc.oneof(
  fc.record(
    { gte: fc.integer({ min: 0, max: 4 }), lt: fc.integer({ min: 0, max: 4 }) },
    { requiredKeys: ["gte"] },
  ),
  fc.record({ gt: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ lte: fc.constantFrom("a", "b", "c") }),
);
const condition: fc.Arbitrary<FieldCondition> = fc.oneof(
  fc.record({ eq: value }),
  fc.record({ in: fc.array(value, { minLength: 1, maxLength: 3 }) }),
  bound,
);
const filter: fc.Arbitrary<VectorFilter> = fc.dictionary(fc.constantFrom("x", "y"), condition);

test("filters together let pass what each of them does", () => {
  fc.assert(
    fc.property(filter, filter, fc.dictionary(fc.constantFrom("x", "y"), value), (one, other, metadata) => {
      const both = combineFilters([one, other]);
      const expected = matchesFilter(metadata, one) && matchesFilter(metadata, other);
      expect(both !== undefined && matchesFilter(metadata, both)).toBe(expected);
    }),
    { numRuns: 500 },
  );
});

test("a row's id tells what it was made of, and has the order of rows", () => {
  const place = { write: "w", row: 9, chunk: 3, start: 10, end: 20 };
  expect(readRowId(rowId(place))).toEqual(place);
  expect(rowId(place) < rowId({ ...place, row: 10 })).toBe(true);
});

test("contents differ by text and metadata, not by the order of keys, at any length", async () => {
  const long = `${"😀".repeat(700_000)}x`;
  expect(await contentHash(long, {})).toBe(await contentHash(long, {}));
  expect(await contentHash(long, {})).not.toBe(await contentHash(`${long}y`, {}));
  expect(await contentHash("a", { x: 1, y: { b: 1, a: [2] } })).toBe(
    await contentHash("a", { y: { a: [2], b: 1 }, x: 1 }),
  );
  expect(await contentHash("a", { x: 1 })).not.toBe(await contentHash("a", { x: "1" }));
  expect(await contentHash("a b", {})).not.toBe(await contentHash("a", {}));
});

test.each<[string, object, object, string]>([
  ["the default", {}, {}, "lancedb"],
  ["the default by name", { backend: "lancedb" }, {}, "lancedb"],
  ["memory, which is each process's own", { backend: "memory" }, {}, "memory@p"],
])("a store's id is of its place: %s", (_, settings, storeDefaults, id) => {
  expect(storeIdOf(settings, { storeDefaults, processId: "p" })).toBe(id);
});

test("a store's id doesn't change with its password, and does with its address", () => {
  const idOf = (url: string) => storeIdOf({ backend: "qdrant", url }, { storeDefaults: {}, processId: "p" });
  expect(idOf("http://me:one@host:1/")).toBe(idOf("http://me:two@host:1"));
  expect(idOf("http://host:1")).not.toBe(idOf("http://host:2"));
  const defaults = { storeDefaults: { backend: "qdrant", url: "http://host:1" }, processId: "p" };
  expect(storeIdOf({}, defaults)).toBe(idOf("http://host:1"));
  expect(storeIdOf({ backend: "chroma" }, defaults)).toBe("chroma");
});

onEachEngine("search", ({ open }) => {
  const documents = ["alpha beta", "beta gamma", "gamma delta", "delta epsilon"].map((text) => ({
    id: text,
    text,
  }));

  test("as many passages come as were asked for, whenever so many are there", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    await world.ingest(documents);
    for (const mode of ["hybrid", "vector"] as const) {
      for (const topK of [1, 2, 4, 100]) {
        expect((await world.search("gamma", { mode, topK }))?.length).toBe(Math.min(topK, 4));
      }
    }
    expect((await world.search("gamma", { mode: "text" }))?.length).toBe(2);
  });

  test("a question without letters, digits and pictures finds nothing, whatever the embedder makes of it", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    world.embedder.embed = async (texts) => new Float32Array(32 * texts.length).fill(1 / Math.sqrt(32));
    await world.ingest(documents);
    for (const mode of ["hybrid", "vector", "text"] as const)
      for (const query of ["?!", "…", " — ", "\u0301", "$ + #", "\u200b"])
        expect(await world.search(query, { mode })).toEqual([]);
    for (const query of ["?7", "🚀", "犬", "x!"])
      expect(await world.search(query, { mode: "vector" })).toHaveLength(4);
  });

  test("a store without a search by words is searched by vectors, and says so when words are asked for", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    const store = hookedStore({});
    const wordless: VectorStore = {
      ...store,
      open: async (key, dimension) => ({ ...(await store.open(key, dimension)), matching: undefined }),
    };
    world.pipeline = { ...world.pipeline, store: wordless };
    await world.ingest(documents);
    expect((await world.search("gamma", { topK: 4 }))?.length).toBe(4);
    for (const mode of ["hybrid", "text"] as const) {
      expect(await world.search("gamma", { mode }).catch((thrown) => thrown.code)).toBe("mode_unavailable");
    }
  });

  test("a reranker sees more than is asked for and decides the order", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    let seen: readonly string[] = [];
    const reranker: Reranker = {
      async score(_query, texts) {
        seen = texts;
        return texts.map((text) => (text === "delta epsilon" ? 0.9 : 0.1));
      },
    };
    world.pipeline = { ...world.pipeline, reranker, isReranking: true, rerankTopK: 1 };
    await world.ingest(documents);
    const found = await world.search("beta");
    expect(seen).toHaveLength(4);
    expect(found).toMatchObject([{ text: "delta epsilon", rankScore: 0.9 }]);
    expect((await world.search("beta", { topK: 2 }))?.length).toBe(2);
    expect((await world.search("beta", { rerank: false }))?.[0]?.text).toContain("beta");
  });
});
