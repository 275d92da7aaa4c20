import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type FieldCondition,
  matchesFilter,
  type VectorFilter,
} from "../../../src/retrieval/stores/filters/vector-filter.ts";
import { never, newKey, sampleBatch } from "../../support/sample-vectors.ts";
import { onEachVectorStore } from "../../support/vector-stores.ts";

const rows: { id: string; metadata: Record<string, unknown> }[] = [
  { id: "plain", metadata: { lang: "en", year: 2020, open: true, price: 1.5 } },
  { id: "other", metadata: { lang: "de", year: 2024, open: false, price: -1.5 } },
  { id: "texts", metadata: { lang: "1", year: "2020", open: "true", price: "1.5" } },
  { id: "lists", metadata: { lang: ["en", "fr"], year: [1999, 2030], open: [true, false], price: [] } },
  {
    id: "nested",
    metadata: { lang: { code: "en", variants: ["gb", { name: "us" }] }, year: { of: { print: 2020 } } },
  },
  { id: "dotted", metadata: { "lang.code": "en", "a.b": { c: 1 } } },
  { id: "none", metadata: {} },
  { id: "nulls", metadata: { lang: null, year: null, open: [null] } },
  { id: "edges", metadata: { lang: "", year: 0, price: 1e-300, open: 0 } },
  { id: "large", metadata: { lang: "EN", year: 2 ** 53, price: 1e300 } },
  {
    id: "hostile",
    metadata: { lang: "' or 1=1 --", "we\"ird' key\\ \u0001$.[0]": "\0\u0001x", year: [[2021]] },
  },
  { id: "order", metadata: { lang: "\u{1f600}", year: 2019.999 } },
  { id: "order 2", metadata: { lang: "\uffee", __proto_: 1, constructor: "yes" } },
];

const dimension = 2;

const cases: [VectorFilter, string[]][] = [
  [{ lang: { eq: "en" } }, ["lists", "plain"]],
  [{ lang: { eq: "EN" } }, ["large"]],
  [{ year: { eq: 2020 } }, ["plain"]],
  [{ year: { eq: "2020" } }, ["texts"]],
  [{ open: { eq: true } }, ["lists", "plain"]],
  [{ open: { eq: 0 } }, ["edges"]],
  [{ lang: { eq: "" } }, ["edges"]],
  [{ lang: { in: ["de", "fr", 1, true] } }, ["lists", "other"]],
  [{ lang: { in: ["1"] } }, ["texts"]],
  [{ year: { gt: 2020 } }, ["hostile", "large", "lists", "other"]],
  [{ year: { gte: 2020, lt: 2024 } }, ["hostile", "plain"]],
  [{ year: { gte: 2000, lte: 2010 } }, []],
  [{ year: { gt: "2019", lte: "2020" } }, ["texts"]],
  [{ year: { lt: 2020, gt: 2019 } }, ["order"]],
  [{ price: { gt: 0 } }, ["edges", "large", "plain"]],
  [{ price: { lt: 0 } }, ["other"]],
  [{ price: { gte: 1.5, lte: 1.5 } }, ["plain"]],
  [{ price: { gte: "1" } }, ["texts"]],
  [{ lang: { gt: "\uffee" } }, ["order"]],
  [{ lang: { gte: "\uffee", lt: "\u{1f600}" } }, ["order 2"]],
  [{ "lang.code": { eq: "en" } }, ["dotted", "nested"]],
  [{ "lang.variants": { eq: "gb" } }, ["nested"]],
  [{ "lang.variants.name": { eq: "us" } }, ["nested"]],
  [{ "year.of.print": { lte: 2020 } }, ["nested"]],
  [{ "a.b.c": { eq: 1 } }, ["dotted"]],
  [{ nothing: { eq: "en" } }, []],
  [{ lang: { eq: "' or 1=1 --" } }, ["hostile"]],
  [{ "we\"ird' key\\ \u0001$.[0]": { eq: "\0\u0001x" } }, ["hostile"]],
  [{ "we\"ird' key\\ \u0001$.[0]": { gt: "\0", lt: "\u0001" } }, ["hostile"]],
  [{ constructor: { eq: "yes" } }, ["order 2"]],
  [{ toString: { eq: "yes" } }, []],
  [{ lang: { eq: "en" }, year: { gte: 2020 }, open: { eq: true } }, ["lists", "plain"]],
  [{ lang: { eq: "en" }, open: { eq: "true" } }, []],
  [{ lang: { in: Array.from({ length: 256 }, (_, at) => (at === 255 ? "de" : `x${at}`)) } }, ["other"]],
];

onEachVectorStore("filters", (tested) => {
  test.each(cases)("%j finds %j", async (filter, expected) => {
    await using store = tested.open();
    const collection = await store.open(key, dimension);
    if ((await collection.count()) === 0) await collection.add(sampleBatch(rows, dimension));
    expect(
      rows
        .filter(({ metadata }) => matchesFilter(metadata, filter))
        .map(({ id }) => id)
        .sort(),
    ).toEqual(expected);
    const hits = await collection.nearest({
      vector: Float32Array.of(1, 1),
      limit: 20,
      filter,
      signal: never,
    });
    expect(hits.map(({ id }) => id).sort()).toEqual(expected);
    const listed = await collection.list({ filter }, { limit: 20 });
    expect(listed.map(({ id }) => id)).toEqual(expected);
  });
  const key = newKey();

  test("rows with very many values pass by each of them", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const many = Array.from({ length: 700 }, (_, at) => `tag ${at}`);
    const batch = [
      { id: "many", metadata: { tags: many, year: 2020 } },
      { id: "numbers", metadata: { tags: many.map((_, at) => at / 7), last: -1 } },
      { id: "one", metadata: { tags: "tag 5" } },
    ];
    await collection.add(sampleBatch(batch, dimension));
    const found = async (filter: VectorFilter) => {
      const hits = await collection.nearest({
        vector: Float32Array.of(1, 0),
        limit: 5,
        filter,
        signal: never,
      });
      return hits.map(({ id }) => id).sort();
    };
    expect(await found({ tags: { eq: "tag 5" } })).toEqual(["many", "one"]);
    expect(await found({ tags: { eq: "tag 699" } })).toEqual(["many"]);
    expect(await found({ tags: { in: ["tag 650", 99] } })).toEqual(["many", "numbers"]);
    expect(await found({ tags: { gt: 99.5, lt: 99.8 } })).toEqual(["numbers"]);
    expect(await found({ year: { gte: 2020 } })).toEqual(["many"]);
    expect(await found({ last: { lt: 0 } })).toEqual(["numbers"]);
    expect(await found({ tags: { eq: "tag 700" } })).toEqual([]);
  });

  test("any filter over any metadata finds what the reference finds", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(someMetadata, { minLength: 1, maxLength: 12 }),
        fc.array(someFilter, { minLength: 1, maxLength: 6 }),
        async (all, filters) => {
          const group = `round-${round++}`;
          const batch = all.map((metadata, at) => ({ id: `${group}-${at}`, group, metadata }));
          await collection.add(sampleBatch(batch, dimension, group));
          for (const filter of filters) {
            const expected = batch
              .filter(({ metadata }) => matchesFilter(metadata, filter))
              .map(({ id }) => id);
            const hits = await collection.nearest({
              vector: Float32Array.of(1, 0),
              limit: 50,
              filter,
              signal: never,
            });
            expect(hits.map(({ id }) => id).sort()).toEqual(expected.sort());
          }
          await collection.remove({ group });
        },
      ),
      { numRuns: 25 },
    );
  });
});

const someKey = fc.constantFrom("a", "b", "a.b", "ä", "x y", "'\"");
const someText = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "b",
    "10",
    "9",
    "é",
    "\u{1f600}",
    "\uffff",
    "\0",
    "\u0001",
    "abcdefgh",
    "abcdefgi",
    "'",
  ),
  fc.string({ unit: "grapheme", maxLength: 10 }),
);
const someNumber = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.1, -0.1, 1e300, -1e300, 5e-324, 2 ** 53, 0.30000000000000004, 0.3),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const someScalar = fc.oneof(someText, someNumber, fc.boolean());
const someValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    someScalar,
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(someKey, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const someMetadata = fc.dictionary(someKey, someValue, { maxKeys: 4 }) as fc.Arbitrary<
  Record<string, unknown>
>;
const someRange = (bound: fc.Arbitrary<string | number>) =>
  fc
    .record({ gt: bound, gte: bound, lt: bound, lte: bound }, { requiredKeys: [] })
    .filter((range) => Object.keys(range).length > 0);
const someCondition: fc.Arbitrary<FieldCondition> = fc.oneof(
  someScalar.map((eq) => ({ eq })),
  fc.array(someScalar, { minLength: 1, maxLength: 4 }).map((values) => ({ in: values })),
  someRange(someNumber),
  someRange(someText),
);
const someFilter: fc.Arbitrary<VectorFilter> = fc.dictionary(someKey, someCondition, {
  minKeys: 1,
  maxKeys: 2,
});
