import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { indexedFromRows } from "../../../../src/retrieval/stores/lancedb/index-policy.ts";
import type { VectorCollection, VectorStore } from "../../../../src/retrieval/stores/vector-store.ts";
import { lanceStore, someCollection } from "../../../support/lance-store.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const dimension = 24;
const clusters = 60;
/** Enough rows to search more partitions than LanceDB's default. */
const rowCount = 2 * indexedFromRows + 5000;

/** The same numbers in every run. */
function numbers(seed: number) {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, bell: () => next() + next() + next() - 1.5 };
}

const { next, bell } = numbers(11);
const centres = Array.from({ length: clusters }, () => Array.from({ length: dimension }, bell));
const near = (cluster: number, spread: number) =>
  Float32Array.from(centres[cluster] ?? [], (value) => value + spread * bell());

const folder = temporaryFolder();
let store: VectorStore;
let collection: VectorCollection;
const vectors = new Map<string, Float32Array>();
const { signal } = new AbortController();

async function fill(from: number, count: number): Promise<void> {
  for (let start = from; start < from + count; start += 5000) {
    const rows = Array.from({ length: Math.min(5000, from + count - start) }, (_, at) => start + at);
    const batch = rows.map((row) => near(row % clusters, 0.6));
    for (const [at, row] of rows.entries()) vectors.set(`id${row}`, batch[at] ?? new Float32Array());
    await collection.add({
      ids: rows.map((row) => `id${row}`),
      groups: rows.map((row) => `doc${Math.floor(row / 10)}`),
      write: "w1",
      texts: rows.map((row) => `words of ${row}`),
      metadata: rows.map((row) => ({ cluster: row % clusters, row })),
      vectors: Float32Array.from(batch.flatMap((vector) => [...vector])),
    });
  }
}

/** Returns the ids of the most similar rows, by comparing all. */
function exact(query: Float32Array, limit: number): string[] {
  const best: { id: string; similarity: number }[] = [];
  for (const [id, vector] of vectors) {
    let [product, square] = [0, 0];
    // Not by an iterator: this runs a hundred million times.
    for (let at = 0; at < dimension; at++) {
      const value = vector[at] ?? 0;
      product += value * (query[at] ?? 0);
      square += value * value;
    }
    const similarity = product / Math.sqrt(square);
    if (best.length === limit && similarity <= (best.at(-1)?.similarity ?? 0)) continue;
    best.push({ id, similarity });
    best.sort((one, other) => other.similarity - one.similarity);
    best.length = Math.min(best.length, limit);
  }
  return best.map(({ id }) => id);
}

beforeAll(async () => {
  store = lanceStore(folder.path);
  collection = await store.open(someCollection, dimension);
  await fill(0, rowCount);
  await store.maintain?.(signal);
});

afterAll(async () => {
  await store.close();
  folder[Symbol.dispose]();
});

/** Returns index names from LanceDB's own plan. */
async function indexNames(): Promise<string[]> {
  const { createLanceLoader } = await import("../../../../src/retrieval/stores/lancedb/native/load-lance.ts");
  const { silentLogger } = await import("../../../../src/kit/log.ts");
  const { lance } = await createLanceLoader({ dataFolder: folder.path, log: silentLogger })();
  const connection = await lance.connect(`${folder.path}/vectors`);
  const [name = ""] = await connection.tableNames();
  return (await (await connection.openTable(name)).listIndices()).map((index) => index.name).toSorted();
}

test("with 45,000 rows there is an index of 212 partitions", async () => {
  expect(await indexNames()).toEqual(["vector_212_idx", "words_1_idx"]);
});

test("the ten best by the index are those of comparing all, 98 of 100 times and more", async () => {
  let hits = 0;
  for (let query = 0; query < 100; query++) {
    const vector = near(query % clusters, 1);
    const best = new Set(exact(vector, 10));
    const found = await collection.nearest({ vector, limit: 10, signal });
    hits += found.filter(({ id }) => best.has(id)).length;
  }
  expect(hits).toBeGreaterThanOrEqual(980);
});

describe("a filter leaves as many rows as pass, wherever in the index they are", () => {
  test.each([
    ["all of one cluster far away", { cluster: { eq: 7 } }, 750, 750],
    ["more than are asked for", { cluster: { in: [7, 8] } }, 40, 40],
    ["a single row", { row: { eq: 12_345 } }, 10, 1],
    ["a range", { row: { gte: 44_990 } }, 50, 10],
    ["none", { row: { lt: 0 } }, 10, 0],
  ])("%s", async (_, filter, limit, count) => {
    const vector = near(30, 0);
    const found = await collection.nearest({ vector, limit, filter, signal });
    expect(found).toHaveLength(count);
    const scores = found.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  });

  test("rows of excepted writes make place for others", async () => {
    const limit = 25;
    const found = await collection.nearest({ vector: near(3, 0), limit, exceptWrites: ["w2"], signal });
    expect(found).toHaveLength(limit);
    expect(await collection.nearest({ vector: near(3, 0), limit, exceptWrites: ["w1"], signal })).toEqual([]);
  });

  test("asking for all gives all", async () => {
    const found = await collection.nearest({ vector: near(3, 0), limit: 100_000, signal });
    expect(found).toHaveLength(rowCount);
  });
});

test("rows that came after the index are found at once, replaced ones only as they are now, removed ones not at all", async () => {
  const vector = Float32Array.from({ length: dimension }, () => next() + 5);
  const add = (ids: string[], text: string) =>
    collection.add({
      ids,
      groups: ids.map(() => "new"),
      write: "w3",
      texts: ids.map(() => text),
      metadata: ids.map(() => ({})),
      vectors: Float32Array.from(ids.flatMap(() => [...vector])),
    });
  const best = async () => (await collection.nearest({ vector, limit: 2, signal })).map(({ text }) => text);
  await add(["new", "id5"], "unheard");
  expect(await best()).toEqual(["unheard", "unheard"]);
  await add(["new"], "replaced");
  expect((await best()).toSorted()).toEqual(["replaced", "unheard"]);
  const byWords = await collection.matching?.({ vector, limit: 10, text: "unheard", signal });
  expect(byWords?.map(({ id }) => id)).toEqual(["id5"]);
  await collection.remove({ ids: ["new", "id5"] });
  expect(await best()).not.toContain("replaced");
  await store.maintain?.(signal);
  expect(await best()).not.toContain("unheard");
  expect(await collection.count()).toBe(rowCount - 1);
});
