import { expect, test } from "bun:test";
import {
  leavesAt,
  matchesFilter,
  metadataLeaves,
  type VectorFilter,
} from "../../../../src/retrieval/stores/filters/vector-filter.ts";

const metadata = {
  lang: "en",
  year: 2020,
  open: true,
  tags: ["a", 1, null, ["deep"]],
  author: { name: "Ann", works: [{ title: "One" }, { title: "Two" }] },
  "dotted.key": "x",
  nothing: null,
};

test.each<[VectorFilter, boolean]>([
  [{}, true],
  [{ lang: { eq: "en" } }, true],
  [{ lang: { eq: "EN" } }, false],
  [{ year: { eq: "2020" } }, false],
  [{ open: { eq: true } }, true],
  [{ open: { eq: 1 } }, false],
  [{ tags: { eq: "a" } }, true],
  [{ tags: { eq: "deep" } }, true],
  [{ tags: { in: [2, 1] } }, true],
  [{ tags: { gt: 0, lt: 1 } }, false],
  [{ "author.name": { eq: "Ann" } }, true],
  [{ "author.works.title": { in: ["Two"] } }, true],
  [{ "dotted.key": { eq: "x" } }, true],
  [{ dotted: { eq: "x" } }, false],
  [{ nothing: { in: ["null", ""] } }, false],
  [{ year: { gte: 2020, lte: 2020 } }, true],
  [{ year: { gt: 2020 } }, false],
  [{ year: {} }, false],
  [{ lang: { gt: "e", lt: "f" } }, true],
  [{ lang: { eq: "en" }, year: { lt: 2020 } }, false],
  [{ constructor: { eq: "x" } }, false],
])("%j: %p", (filter, passes) => {
  expect(matchesFilter(metadata, filter)).toBe(passes);
});

test("one member of a list has to meet all bounds", () => {
  expect(matchesFilter({ n: [1, 10] }, { n: { gt: 2, lt: 9 } })).toBe(false);
  expect(matchesFilter({ n: [1, 5] }, { n: { gt: 2, lt: 9 } })).toBe(true);
});

test("looking up a name finds what all names together hold", () => {
  const leaves = metadataLeaves({ ...metadata, a: { b: 1 }, "a.b": [2] });
  for (const [name, values] of leaves)
    expect(leavesAt({ ...metadata, a: { b: 1 }, "a.b": [2] }, name).toSorted()).toEqual(values.toSorted());
  expect(leaves.get("a.b")?.toSorted()).toEqual([1, 2]);
  expect([...leaves.keys()]).not.toContain("nothing");
});
