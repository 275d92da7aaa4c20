import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type FieldCondition,
  matchesFilter,
  type Scalar,
  type VectorFilter,
} from "../../../../../src/retrieval/stores/filters/vector-filter.ts";
import { filterSql } from "../../../../../src/retrieval/stores/lancedb/facts/filter-sql.ts";
import { asked, batchOf, lanceStore, someCollection } from "../../../../support/lance-store.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const long = "long ".repeat(30);

/** Values that are close to each other, and texts that break naively built SQL. */
const texts = [
  ...["", "a", "aa", "ab", "b", "A", "é", "z", "zz", "\u0000", "a\u0000", "\u001f", "a\u001fb", " ", "!"],
  ...[
    "'",
    "''",
    "\\",
    "\\x{41}",
    '"',
    "%",
    "_",
    ".*",
    "(a|b)",
    "[",
    "$",
    "^",
    "\n",
    "\u0002",
    "\u0004",
    "\u0005",
  ],
  ...["\ud7ff", "\ue000", "\uffff", "😀", "\u{10ffff}", "東京", "مرحبا", "true", "1", "null"],
  ...[long, `${long}a`, `${long}b`, long.slice(0, 64), long.slice(0, 63), "😀".repeat(64), "😀".repeat(65)],
];
const numbers = [
  ...[
    0,
    -0,
    1,
    -1,
    2,
    1.5,
    -1.5,
    0.1,
    1e-300,
    -1e-300,
    5e-324,
    1e300,
    -1e300,
    2 ** 53,
    2 ** 53 - 1,
    1998,
    2024,
  ],
  Number.MAX_VALUE,
];

const text = fc.oneof(fc.constantFrom(...texts), fc.string({ unit: "binary", maxLength: 6 }));
const number = fc.oneof(fc.constantFrom(...numbers), fc.double({ noNaN: true, noDefaultInfinity: true }));
const scalar: fc.Arbitrary<Scalar> = fc.oneof(text, number, fc.boolean());
const key = fc.constantFrom("a", "b", "a.b", "it's", "", "\u0000", "😀", "__proto__");
const leaf = fc.oneof(
  scalar,
  fc.constant(null),
  fc.array(fc.oneof(scalar, fc.array(scalar, { maxLength: 2 })), { maxLength: 3 }),
);
const metadata = fc
  .dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf, { maxKeys: 2 })), { maxKeys: 3 })
  .map((value): Record<string, unknown> => JSON.parse(JSON.stringify(value)));
const bound = fc.oneof(text, number);
const condition: fc.Arbitrary<FieldCondition> = fc.oneof(
  fc.record({ eq: scalar }),
  fc.record({ in: fc.array(scalar, { maxLength: 4 }) }),
  fc.record({ gt: bound, gte: bound, lt: bound, lte: bound }, { requiredKeys: [] }),
  // Two bounds of one type, near each other.
  fc.record({ gte: fc.constantFrom(...texts), lt: fc.constantFrom(...texts) }),
  fc.record({ gt: fc.constantFrom(...texts), lte: fc.constantFrom(...texts) }),
  fc.record({ gt: fc.constantFrom(...numbers), lte: fc.constantFrom(...numbers) }),
);
const filter: fc.Arbitrary<VectorFilter> = fc.oneof(
  // Keys at which all values occur.
  fc.tuple(fc.constantFrom("a", "a.b"), condition).map(([name, wanted]) => ({ [name]: wanted })),
  fc.dictionary(fc.oneof(key, fc.constantFrom("a.a", "a.b.a", "b.", ".")), condition, {
    minKeys: 1,
    maxKeys: 2,
  }),
);

/** Every text and number once, alone and in a list with others. */
const everyValue = [...texts, ...numbers, true, false].flatMap((value, at, all) => [
  { a: value },
  { a: { b: [all[(at + 7) % all.length], value] } },
]);

test("what LanceDB filters is what a row's metadata says, for any filter and any metadata", async () => {
  using folder = temporaryFolder();
  const store = lanceStore(folder.path);
  const rows: Record<string, unknown>[] = [...everyValue, ...fc.sample(metadata, { numRuns: 400, seed: 7 })];
  const collection = await store.open(someCollection, 2);
  await collection.add(batchOf(rows.map((value, at) => ({ id: String(at), metadata: value }))));
  let narrowed = 0;
  await fc.assert(
    fc.asyncProperty(filter, async (wanted) => {
      const expected = rows.flatMap((value, at) => (matchesFilter(value, wanted) ? [String(at)] : []));
      const listed = await collection.list({ filter: wanted }, { limit: rows.length });
      expect(listed.map(({ id }) => id)).toEqual(expected.toSorted());
      if (expected.length > 0 && expected.length < rows.length) narrowed++;
    }),
    { numRuns: 600 },
  );
  // If nothing ever passed, the property would prove nothing.
  expect(narrowed).toBeGreaterThan(100);
  await store.close();
});

describe("a search returns as many rows as pass", () => {
  test.each([
    ["by what LanceDB decides alone", { n: { gte: 30, lt: 37 } }, 7],
    ["by what has to be looked at again", { long: { gt: `${long}5` } }, 4],
    ["by more conditions than LanceDB is given", Object.fromEntries(conditions(40)), 1],
  ] as [string, VectorFilter, number][])("%s", async (_, wanted, count) => {
    using folder = temporaryFolder();
    const store = lanceStore(folder.path);
    const collection = await store.open(someCollection, 2);
    const rows = Array.from({ length: 100 }, (_, at) => ({
      id: `r${at}`,
      // The rows that pass the filter are the least similar.
      vector: [1, at >= 30 && at < 40 ? 9 : 0],
      metadata: { n: at, long: `${long}${at % 100 < 10 ? at : 0}`, ...(at === 77 ? spread(40) : spread(39)) },
    }));
    await collection.add(batchOf(rows));
    expect(await collection.nearest({ ...asked([1, 0], 50), filter: wanted })).toHaveLength(count);
    expect(await collection.nearest({ ...asked([1, 0], 1), filter: wanted })).toHaveLength(1);
    const byWords = await collection.matching?.({ ...asked([1, 0], 50), filter: wanted, text: "words" });
    expect(byWords).toHaveLength(count);
    await collection.remove({ filter: wanted });
    expect(await collection.count()).toBe(100 - count);
    expect(await collection.nearest({ ...asked([1, 0], 50), filter: wanted })).toHaveLength(0);
    await store.close();
  });
});

function spread(count: number): Record<string, boolean> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, true]));
}

function conditions(count: number): [string, FieldCondition][] {
  return Object.keys(spread(count)).map((name) => [name, { eq: true }]);
}

test.each([
  [{}, undefined],
  [{ a: { in: [] } }, { sql: "(false)", isExact: true }],
  [{ a: { gt: 1, lt: "b" } }, { sql: "(false)", isExact: true }],
  [{ a: { gt: "b", lt: "a" } }, { sql: "(false)", isExact: true }],
  [{ a: { gt: 2, lt: 1 } }, { sql: "(false)", isExact: true }],
  [{ a: {} }, { sql: "(false)", isExact: true }],
] as [VectorFilter, unknown][])("%j is %j", (wanted, expected) => {
  expect(filterSql(wanted)).toEqual(expected as ReturnType<typeof filterSql>);
});

test("the longest filter that callers may send is answered", async () => {
  using folder = temporaryFolder();
  const store = lanceStore(folder.path);
  const collection = await store.open(someCollection, 2);
  const value = "\u{10ffff}".repeat(1024);
  const names = Array.from({ length: 32 }, (_, at) => `${"k".repeat(200)}${at}`);
  const row = Object.fromEntries(names.map((name) => [name, value]));
  await collection.add(batchOf([{ id: "hit", metadata: row }, { id: "miss" }]));
  const values = Array.from({ length: 256 }, (_, at) => value.slice(0, -2 * (at + 1)) + String(at));
  const filters: VectorFilter[] = [
    Object.fromEntries(names.map((name) => [name, { gte: value, lte: value }])),
    Object.fromEntries(names.map((name) => [name, { in: [...values, value] }])),
    Object.fromEntries(names.map((name) => [name, { gt: value.slice(0, 126), lte: value }])),
  ];
  for (const wanted of filters) {
    const found = await collection.nearest({ ...asked([1, 0], 10), filter: wanted });
    expect(found.map(({ id }) => id)).toEqual(["hit"]);
  }
  await store.close();
});
