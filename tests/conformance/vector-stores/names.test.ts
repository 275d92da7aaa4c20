import { expect, test } from "bun:test";
import { compareTexts } from "../../../src/retrieval/stores/compare-texts.ts";
import type { CollectionKey } from "../../../src/retrieval/stores/vector-store.ts";
import corpus from "../../corpora/strings_hostile.json" with { type: "json" };
import { never, newKey, sampleBatch } from "../../support/sample-vectors.ts";
import { onEachVectorStore } from "../../support/vector-stores.ts";

const hostile = [
  ...corpus.entries.map(({ input }) => String(input)),
  "\0",
  "a\0b",
  "\u0001\u0001",
  "\u202eabc",
];
const dimension = 2;
const search = { vector: Float32Array.of(1, 0), limit: 1000, signal: never };

onEachVectorStore("names", (tested) => {
  test("collections of similar and hostile names have nothing in common", async () => {
    await using store = tested.open();
    const tenant = crypto.randomUUID();
    const names = [
      ...[
        "a",
        "A",
        "a ",
        " a",
        "a.b",
        "a/b",
        "a\\b",
        "../a",
        "a%2Fb",
        "a_b",
        "a-b",
        "a'b",
        'a"b',
        "a;b",
        "a\nb",
      ],
      ...[
        "*",
        "_",
        "%",
        "ä",
        "a\u0308",
        "😀",
        "日本",
        "x".repeat(255),
        `${"x".repeat(254)}y`,
        "😀".repeat(255),
      ],
    ];
    const keys: CollectionKey[] = [
      ...names.map((name) => ({ tenant, kind: "rag" as const, name })),
      { tenant, kind: "memory", name: "a" },
      { tenant: `${tenant}a`, kind: "rag", name: "" },
      { tenant: tenant.toUpperCase(), kind: "rag", name: "a" },
      { tenant: `${tenant}/rag`, kind: "rag", name: "a" },
      { tenant: `${tenant}' or true --`, kind: "rag", name: "a" },
    ];
    for (const [at, key] of keys.entries()) {
      const collection = await store.open(key, dimension);
      expect(await collection.count()).toBe(0);
      await collection.add(sampleBatch([{ id: "same", text: `of ${at}` }], dimension));
    }
    await store.drop(keys[0] as CollectionKey);
    for (const [at, key] of keys.entries()) {
      const collection = await store.open(key, dimension);
      const texts = (await collection.nearest(search)).map(({ text }) => text);
      expect(texts).toEqual(at === 0 ? [] : [`of ${at}`]);
    }
    for (const key of keys) await store.drop(key);
  });

  test("equal ids, groups and writes of two tenants are removed apart", async () => {
    await using store = tested.open();
    const [one, other] = [await store.open(newKey(), dimension), await store.open(newKey(), dimension)];
    for (const collection of [one, other])
      await collection.add(sampleBatch([{ id: "session-1", group: "session-1" }], dimension));
    await one.remove({ group: "session-1" });
    await one.remove({ ids: ["session-1"] });
    await one.remove({ writes: ["write-1"] });
    expect([await one.count(), await other.count()]).toEqual([0, 1]);
  });

  test("hostile texts are stored, found and removed as what they are", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const rows = hostile.map((text, at) => ({
      id: text.slice(0, 512) === "" ? `empty ${at}` : `${at}:${text}`.slice(0, 400),
      group: `group ${text}`.slice(0, 400),
      text,
      metadata: { text, [`key ${text}`]: { [text]: [text] } },
    }));
    for (const [at, row] of rows.entries())
      await collection.add(sampleBatch([row], dimension, `write ${at}`));

    const listed = await collection.list({}, { limit: 1000 });
    expect(listed).toEqual(
      rows
        .map(({ id, group, text, metadata }) => ({ id, group, text, metadata }))
        .sort((row, next) => compareTexts(row.id, next.id)),
    );
    for (const { id, group, text } of rows) {
      const filter = { text: { eq: text } };
      const same = rows.filter((row) => row.text === text).map((row) => row.id);
      expect((await collection.nearest({ ...search, filter })).map((hit) => hit.id).sort()).toEqual(
        same.sort(),
      );
      expect((await collection.list({ ids: [id], group }, { limit: 5 })).map((row) => row.id)).toEqual([id]);
    }
    for (const { id, group } of rows) {
      await collection.remove({ ids: [id], group });
      expect(await collection.list({ ids: [id] }, { limit: 5 })).toEqual([]);
    }
    expect(await collection.count()).toBe(0);
  });
});
