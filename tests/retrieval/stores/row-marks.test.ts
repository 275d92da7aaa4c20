import { expect, test } from "bun:test";
import fc from "fast-check";
import { matchesFilter, type VectorFilter } from "../../../src/retrieval/stores/filters/vector-filter.ts";
import {
  type MarkCondition,
  markConditions,
  type RowMarks,
  rowMarks,
  unmarkedToken,
} from "../../../src/retrieval/stores/row-marks.ts";

function meets({ tokens, orders }: RowMarks, condition: MarkCondition): boolean {
  if (tokens.includes(unmarkedToken)) return true;
  if ("tokens" in condition) return condition.tokens.some((token) => tokens.includes(token));
  const { order, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = condition;
  return (orders.get(order) ?? []).some((number) => number >= min && number <= max);
}

const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -9, max: 9 }),
  fc.constantFrom(0, -0, 5e-324),
);
const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 9 }),
  fc.constantFrom("abcdefg", "abcdefh", "", "\u{1f600}", "\uffff"),
);
const scalar = fc.oneof(number, text, fc.boolean());
const bounds = (bound: fc.Arbitrary<string | number>) =>
  fc.record({ gt: bound, gte: bound, lt: bound, lte: bound }, { requiredKeys: [] });
const condition = fc.oneof(
  scalar.map((eq) => ({ eq })),
  fc.array(scalar).map((values) => ({ in: values })),
  bounds(number),
  bounds(text),
);

test("marks leave out no row that passes a filter", () => {
  const metadata = fc.dictionary(
    fc.constantFrom("a", "b"),
    fc.oneof(scalar, fc.array(scalar, { maxLength: 4 })),
  );
  const filters = fc.dictionary(fc.constantFrom("a", "b"), condition, { minKeys: 1 });
  fc.assert(
    fc.property(metadata, filters, (row, filter: VectorFilter) => {
      if (!matchesFilter(row, filter)) return;
      const marks = rowMarks(row);
      for (const one of markConditions(filter)) expect(meets(marks, one)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test("numbers and texts keep their order, within whole numbers that every JSON reader has", () => {
  const orderOf = (value: string | number) =>
    rowMarks({ a: value }).orders.values().next().value?.[0] ?? Number.NaN;
  const sorted = [-1e308, -2, -1.5, -1e-300, 0, 1e-300, 1.5, 2, 1e308];
  expect(sorted.map(orderOf)).toEqual(sorted.map(orderOf).toSorted((one, other) => one - other));
  expect(new Set(sorted.map(orderOf)).size).toBe(sorted.length);
  expect(orderOf(-0)).toBe(orderOf(0));
  const texts = ["", "\0", "a", "aa", "b", "é", "\uffee", "\u{1f600}"];
  expect(texts.map(orderOf)).toEqual(texts.map(orderOf).toSorted((one, other) => one - other));
  for (const value of [...sorted, ...texts]) expect(Number.isSafeInteger(orderOf(value))).toBe(true);
});

test("most rows that don't pass are left out", () => {
  const rows = Array.from({ length: 100 }, (_, at) => rowMarks({ n: at, lang: at % 2 ? "en" : "de" }));
  const passing = (filter: VectorFilter) =>
    rows.filter((marks) => markConditions(filter).every((one) => meets(marks, one))).length;
  expect(passing({ lang: { eq: "en" } })).toBe(50);
  expect(passing({ lang: { eq: "fr" } })).toBe(0);
  expect(passing({ n: { gte: 90 } })).toBe(10);
  expect(passing({ n: { gte: "90" } })).toBe(0);
});
