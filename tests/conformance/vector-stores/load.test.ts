import { expect, test } from "bun:test";
import { never, newKey, sampleBatch, sampleVectors } from "../../support/sample-vectors.ts";
import { onEachVectorStore } from "../../support/vector-stores.ts";

onEachVectorStore("load", (tested) => {
  test("5,000 rows in one batch are all there, and their own nearest", async () => {
    await using store = tested.open();
    const dimension = 64;
    const collection = await store.open(newKey(), dimension);
    const vectors = sampleVectors(5000, dimension);
    const rows = vectors.map((vector, at) => ({
      id: `row-${at}`,
      group: `doc-${at % 50}`,
      text: `text ${at}`,
      metadata: { at, part: at % 50 },
      vector,
    }));
    await collection.add(sampleBatch(rows, dimension));
    expect(await collection.count()).toBe(5000);
    for (const at of [0, 1234, 4999]) {
      const vector = Float32Array.from(vectors[at] ?? []);
      expect(await collection.nearest({ vector, limit: 1, signal: never })).toMatchObject([
        { id: `row-${at}` },
      ]);
      const part = await collection.nearest({
        vector,
        limit: 200,
        filter: { part: { eq: 7 } },
        signal: never,
      });
      expect(part).toHaveLength(100);
    }
    await collection.remove({ group: "doc-7" });
    expect(await collection.count()).toBe(4900);
    const ids = (await collection.list({}, { limit: 5000 })).map(({ id }) => id);
    expect(new Set(ids).size).toBe(4900);
  });

  test("adds, removals and searches at once lose nothing and double nothing", async () => {
    await using store = tested.open();
    const dimension = 8;
    const key = newKey();
    const [one, other] = [await store.open(key, dimension), await store.open(key, dimension)];
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let round = 0; round < 5; round++) {
        const rows = sampleVectors(5, dimension, writer * 10 + round + 1).map((vector, at) => ({
          id: `own-${writer}-${round}-${at}`,
          group: `writer-${writer}`,
          vector,
        }));
        // All writers write the same rows too, in different orders.
        const shared = [0, 1, 2, 3].map((at) => ({ id: `shared-${(at + writer) % 4}`, group: "shared" }));
        await (writer % 2 ? one : other).add(sampleBatch([...rows, ...shared], dimension, `write-${writer}`));
        const hits = await one.nearest({
          vector: Float32Array.from(rows[0]?.vector ?? []),
          limit: 3,
          signal: never,
        });
        expect(hits.length).toBe(3);
      }
      if (writer === 0) await one.remove({ group: "writer-0" });
    });
    await Promise.all(writers);
    const rows = await one.list({}, { limit: 1000 });
    const ids = rows.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(rows.filter(({ group }) => group === "shared")).toHaveLength(4);
    for (let writer = 1; writer < 6; writer++)
      expect(rows.filter(({ group }) => group === `writer-${writer}`)).toHaveLength(25);
    expect(rows.filter(({ group }) => group === "writer-0")).toHaveLength(0);
    expect(await one.count()).toBe(129);
  });

  test("long texts come back whole, and long ones of one word cause no trouble", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), 2);
    const texts = [
      "z".repeat(1024 * 1024),
      Array.from({ length: 150_000 }, (_, at) => `word${at}`).join(" "),
      "日本語".repeat(100_000),
      "👩‍👩‍👧‍👦 ".repeat(50_000),
    ];
    for (const [at, text] of texts.entries())
      await collection.add(sampleBatch([{ id: `text-${at}`, text }], 2));
    const listed = await collection.list({}, { limit: 10 });
    expect(listed.map(({ text }, at) => text === texts[at])).toEqual(texts.map(() => true));
    const hit = await collection.matching?.({
      text: "word1",
      vector: Float32Array.of(1, 0),
      limit: 2,
      signal: never,
    });
    if (hit) expect(hit.map(({ id }) => id)).toEqual(["text-1"]);
  });
});
