import { expect, test } from "bun:test";
import type { VectorCollection, VectorQuery } from "../../../src/retrieval/stores/vector-store.ts";
import corpus from "../../corpora/strings_hostile.json" with { type: "json" };
import { never, newKey, referenceScore, sampleBatch, sampleVectors } from "../../support/sample-vectors.ts";
import { onEachVectorStore } from "../../support/vector-stores.ts";

const dimension = 3;

const documents = [
  { id: "cat", text: "The quick cat sleeps on the warm mat.", metadata: { n: 1 }, vector: [1, 0, 0] },
  { id: "dog", text: "A dog sleeps; the dog, the other DOG, barks.", metadata: { n: 2 }, vector: [0, 1, 0] },
  { id: "bird", text: "Birds sing.", metadata: { n: 3 }, vector: [-1, 0, 0] },
  { id: "kafe", text: "Große Straße, café.", metadata: { n: 4 }, vector: [0, 0, 0] },
  { id: "code", text: "error_code E-1042: see README.md", metadata: { n: 5 }, vector: [1, 1, 1] },
  { id: "empty", text: "", metadata: { n: 6 } },
];

const asking = (text: string, more: Partial<VectorQuery> = {}) => ({
  text,
  vector: Float32Array.of(1, 0, 0),
  limit: 10,
  signal: never,
  ...more,
});

onEachVectorStore("matching", (tested) => {
  async function filled(): Promise<{ collection: VectorCollection; close(): Promise<void> }> {
    const store = tested.open();
    const collection = await store.open(newKey(), dimension);
    await collection.add(sampleBatch(documents, dimension));
    return { collection, close: () => store.close() };
  }
  const search = async (collection: VectorCollection, query: ReturnType<typeof asking>) =>
    (await collection.matching?.(query))?.map(({ id }) => id);

  test("a store without words says so", async () => {
    const { collection, close } = await filled();
    expect(collection.matching === undefined).toBe(tested.backend === "chroma");
    await close();
  });

  if (tested.backend === "chroma") return;

  test.each<[string, string[]]>([
    ["cat", ["cat"]],
    ["CAT!", ["cat"]],
    ["dog barks", ["dog"]],
    ["elephant", []],
    ["elephant birds", ["bird"]],
    ["straße", ["kafe"]],
    ["1042", ["code"]],
    ["", []],
    ["   ", []],
    ["?!…", []],
  ])("%j finds %j", async (text, expected) => {
    const { collection, close } = await filled();
    expect(await search(collection, asking(text))).toEqual(expected);
    await close();
  });

  const languages = [
    ["de", "Die Straße ist lang."],
    ["fr", "Les e\u0301le\u0300ves de l’Œuvre"],
    ["ru", "Ёлка в лесу"],
    ["el", "Ὁ ἄνθρωπος μένει"],
    ["tr", "İSTANBUL büyük"],
    ["pl", "Łódź nocą"],
    ["zh", "東京都の犬"],
    ["en", "Connected buildings"],
  ] as const;

  test.each<[string, string[]]>([
    ["strasse", ["de"]],
    ["STRASSE", ["de"]],
    ["STRAẞE", ["de"]],
    ["stra\u00adße", ["de"]],
    ["eleves", ["fr"]],
    ["Élève", ["fr"]],
    ["oeuvre", ["fr"]],
    ["елка", ["ru"]],
    ["ЁЛКА", ["ru"]],
    ["ανθρωπος", ["el"]],
    ["ΆΝΘΡΩΠΟΣ", ["el"]],
    ["istanbul", ["tr"]],
    ["ıstanbul", ["tr"]],
    ["BUYUK", ["tr"]],
    ["lodz", ["pl"]],
    ["東京", ["zh"]],
    ["犬", ["zh"]],
    ["connection building", ["en"]],
  ])("in texts of many languages, %j finds %j", async (text, expected) => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const rows = languages.map(([id, written]) => ({ id, text: written }));
    await collection.add(sampleBatch(rows, dimension));
    expect(await search(collection, asking(text))).toEqual(expected);
  });

  test("rows that fit better come first, with the similarity of their vectors", async () => {
    const { collection, close } = await filled();
    const hits = await collection.matching?.(asking("sleeps dog"));
    expect(hits?.map(({ id }) => id)).toEqual(["dog", "cat"]);
    for (const { id, score } of hits ?? []) {
      const vector = documents.find((one) => one.id === id)?.vector ?? [];
      expect(score).toBeCloseTo(referenceScore([1, 0, 0], vector), 5);
    }
    expect(await collection.matching?.(asking("café"))).toMatchObject([{ id: "kafe", score: 0 }]);
    expect(await collection.matching?.(asking("birds"))).toMatchObject([{ id: "bird", score: 0 }]);
    expect(await search(collection, asking("sleeps", { limit: 1 }))).toHaveLength(1);
    expect(await search(collection, asking("sleeps", { limit: 0 }))).toEqual([]);
    await close();
  });

  test("filters and excepted writes hold for words as well", async () => {
    const { collection, close } = await filled();
    expect(await search(collection, asking("sleeps", { filter: { n: { gte: 2 } } }))).toEqual(["dog"]);
    expect(await search(collection, asking("sleeps", { filter: { n: { in: [7, 8] } } }))).toEqual([]);
    await collection.add(sampleBatch([{ id: "late", text: "it sleeps" }], dimension, "write-2"));
    expect((await search(collection, asking("sleeps")))?.sort()).toEqual(["cat", "dog", "late"]);
    expect(await search(collection, asking("sleeps", { exceptWrites: ["write-1"] }))).toEqual(["late"]);
    expect(await search(collection, asking("sleeps", { exceptWrites: ["write-1", "write-2"] }))).toEqual([]);
    await close();
  });

  test("a row that was replaced or removed isn't found by its old words", async () => {
    const { collection, close } = await filled();
    await collection.add(sampleBatch([{ id: "cat", text: "purring" }], dimension));
    expect(await search(collection, asking("mat"))).toEqual([]);
    expect(await search(collection, asking("purring"))).toEqual(["cat"]);
    await collection.remove({ ids: ["cat"] });
    expect(await search(collection, asking("purring"))).toEqual([]);
    await close();
  });

  test("few of many rows with a common word are all found under a filter", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const rows = sampleVectors(400, dimension).map((vector, at) => ({
      id: `row-${at}`,
      text: `common ${at % 40 === 0 ? "rare" : "usual"} words`,
      metadata: { chosen: at % 100 === 7 },
      vector,
    }));
    await collection.add(sampleBatch(rows, dimension));
    const found = await search(collection, asking("common", { filter: { chosen: { eq: true } } }));
    expect(found?.sort()).toEqual(["row-107", "row-207", "row-307", "row-7"]);
    expect(await search(collection, asking("rare", { limit: 100 }))).toHaveLength(10);
    expect(await search(collection, asking("common", { limit: 500 }))).toHaveLength(400);
    const best = await search(collection, asking("common rare", { limit: 10 }));
    expect(best?.every((id) => Number(id.slice(4)) % 40 === 0)).toBe(true);
  });

  const hostile = corpus.entries.map(({ input }) => String(input));
  test.each([
    ...hostile,
    "' | ''",
    "\\",
    "\0",
    "a & b | !c <-> d:*",
    '"',
    "*",
    "-x",
    "(",
    "日本語",
    "x".repeat(100_000),
  ])("the question %# is only words", async (text) => {
    const { collection, close } = await filled();
    const found = await search(collection, asking(`${text} purple`));
    expect(found).toBeArray();
    await collection.add(sampleBatch([{ id: "itself", text: `${text} xylophone` }], dimension));
    expect(await search(collection, asking(`xylophone ${text}`, { limit: 1 }))).toEqual(["itself"]);
    await close();
  });
});
