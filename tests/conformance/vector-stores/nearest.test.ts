import { expect, test } from "bun:test";
import type { VectorHit } from "../../../src/retrieval/stores/vector-store.ts";
import { never, newKey, referenceScore, sampleBatch, sampleVectors } from "../../support/sample-vectors.ts";
import { onEachVectorStore } from "../../support/vector-stores.ts";

const idsOf = (hits: readonly VectorHit[]) => hits.map(({ id }) => id);

onEachVectorStore("nearest", (tested) => {
  test("rows come in the order of a reference, with its scores, as many as asked for", async () => {
    await using store = tested.open();
    const dimension = 24;
    const collection = await store.open(newKey(), dimension);
    const vectors = sampleVectors(150, dimension);
    await collection.add(
      sampleBatch(
        vectors.map((vector, at) => ({ id: `row-${at}`, vector })),
        dimension,
      ),
    );
    for (const sought of sampleVectors(5, dimension, 99)) {
      const scores = new Map(vectors.map((vector, at) => [`row-${at}`, referenceScore(sought, vector)]));
      const best = [...scores].sort((one, other) => other[1] - one[1]).slice(0, 10);
      const hits = await collection.nearest({ vector: Float32Array.from(sought), limit: 10, signal: never });
      expect(idsOf(hits)).toEqual(best.map(([id]) => id));
      for (const { id, score } of hits) expect(score).toBeCloseTo(scores.get(id) ?? -1, 4);
      const all = await collection.nearest({ vector: Float32Array.from(sought), limit: 1000, signal: never });
      expect(new Set(idsOf(all)).size).toBe(150);
      for (const { id, score } of all) expect(score).toBeCloseTo(scores.get(id) ?? -1, 4);
      expect(all.map(({ score }) => score)).toEqual(all.map(({ score }) => score).sort((a, b) => b - a));
    }
    expect(
      await collection.nearest({ vector: new Float32Array(dimension), limit: 0, signal: never }),
    ).toEqual([]);
  });

  test("lengths of vectors don't matter, opposites score 0", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), 2);
    const rows = [
      { id: "huge", vector: [3e38, 0] },
      { id: "tiny", vector: [1e-30, 1e-30] },
      { id: "opposite", vector: [-5, 0] },
      { id: "across", vector: [0, 7] },
    ];
    await collection.add(sampleBatch(rows, 2));
    const hits = await collection.nearest({ vector: Float32Array.of(1000, 0), limit: 4, signal: never });
    const scores = Object.fromEntries(hits.map(({ id, score }) => [id, score]));
    expect(scores.huge).toBeCloseTo(1, 5);
    expect(scores.tiny).toBeCloseTo(Math.SQRT1_2, 5);
    expect(scores.opposite).toBe(0);
    expect(scores.across).toBeCloseTo(0, 5);
    expect(idsOf(hits).slice(0, 2)).toEqual(["huge", "tiny"]);
  });

  test("a vector of zeros is like nothing, and still there", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), 3);
    await collection.add(sampleBatch([{ id: "zeros", vector: [0, 0, 0] }, { id: "some" }], 3));
    const hits = await collection.nearest({ vector: Float32Array.of(1, 1, 0), limit: 5, signal: never });
    expect(hits).toMatchObject([{ id: "some" }, { id: "zeros", score: 0 }]);
    const none = await collection.nearest({ vector: new Float32Array(3), limit: 5, signal: never });
    expect(none.map(({ id, score }) => [id, score]).sort()).toEqual([
      ["some", 0],
      ["zeros", 0],
    ]);
  });

  test("rows of excepted writes don't exist for a search", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), 2);
    for (const write of ["w-1", "w-2", "w-3"])
      await collection.add(sampleBatch([{ id: `of ${write}`, metadata: { n: 1 } }], 2, write));
    const search = { vector: Float32Array.of(1, 0), limit: 3, signal: never };
    const seen = async (exceptWrites: string[]) =>
      idsOf(await collection.nearest({ ...search, exceptWrites, filter: { n: { eq: 1 } } })).sort();
    expect(await seen([])).toEqual(["of w-1", "of w-2", "of w-3"]);
    expect(await seen(["w-2", "unknown"])).toEqual(["of w-1", "of w-3"]);
    expect(await seen(["w-1", "w-2", "w-3"])).toEqual([]);
    expect(await collection.count()).toBe(3);
  });

  test("the few rows of many that pass a filter are all found, with and without an index", async () => {
    await using store = tested.open();
    const dimension = 16;
    const collection = await store.open(newKey(), dimension);
    // The matches of the filter are far from the query: an index that searches near the query first would miss them.
    const [sought = [], far = []] = sampleVectors(2, dimension, 5).map((vector, at) =>
      vector.map((part) => (at === 0 ? part : 0)),
    );
    const noise = sampleVectors(600, dimension, 6);
    const rows = noise.map((vector, at) => ({
      id: `row-${at}`,
      metadata: { rare: at % 75 === 0, n: at },
      vector: vector.map((part, place) =>
        at % 75 === 0
          ? -(sought[place] ?? 0) + 0.05 * part
          : (sought[place] ?? 0) + 0.3 * part + (far[place] ?? 0),
      ),
    }));
    await collection.add(sampleBatch(rows, dimension));
    const rare = rows
      .filter(({ metadata }) => metadata.rare)
      .map(({ id }) => id)
      .sort();
    const search = { vector: Float32Array.from(sought), signal: never };
    for (const round of ["fresh", "after maintenance"]) {
      const some = await collection.nearest({ ...search, limit: 20, filter: { rare: { eq: true } } });
      expect([round, ...idsOf(some).sort()]).toEqual([round, ...rare]);
      const five = await collection.nearest({ ...search, limit: 5, filter: { rare: { eq: true } } });
      expect(five.length).toBe(5);
      const range = await collection.nearest({ ...search, limit: 50, filter: { n: { gte: 595 } } });
      expect(idsOf(range).sort()).toEqual(["row-595", "row-596", "row-597", "row-598", "row-599"]);
      const best = await collection.nearest({ ...search, limit: 10 });
      expect(best.length).toBe(10);
      expect(best.every(({ metadata }) => !metadata.rare)).toBe(true);
      const all = await collection.nearest({ ...search, limit: 600 });
      expect(new Set(idsOf(all)).size).toBe(600);
      await store.maintain?.(never);
    }
    await collection.add(sampleBatch([{ id: "late", vector: sought }], dimension));
    expect(idsOf(await collection.nearest({ ...search, limit: 1 }))).toEqual(["late"]);
    await collection.remove({ ids: ["late"] });
    expect(idsOf(await collection.nearest({ ...search, limit: 1 }))).not.toEqual(["late"]);
  });

  test("vectors longer than an index takes are searched as well", async () => {
    await using store = tested.open();
    const dimension = 3072;
    const collection = await store.open(newKey(), dimension);
    const vectors = sampleVectors(8, dimension, 3);
    await collection.add(
      sampleBatch(
        vectors.map((vector, at) => ({ id: `row-${at}`, vector })),
        dimension,
      ),
    );
    await store.maintain?.(never);
    const hits = await collection.nearest({
      vector: Float32Array.from(vectors[3] ?? []),
      limit: 2,
      signal: never,
    });
    expect(hits[0]).toMatchObject({ id: "row-3", score: expect.closeTo(1, 4) });
  });
});
