import { expect, test } from "bun:test";
import { LatestMap } from "../../src/kit/latest-map.ts";

const filled = (max: number, keys: readonly string[]) => {
  const map = new LatestMap<string, string>(max);
  for (const key of keys) map.set(key, key.toUpperCase());
  return map;
};

test.each([
  [3, ["a", "b", "c"], ["a", "b", "c"]],
  [3, ["a", "b", "c", "d"], ["b", "c", "d"]],
  [3, ["a", "b", "c", "a", "d"], ["c", "a", "d"]],
  [1, ["a", "b"], ["b"]],
])("of at most %d entries, setting %j keeps %j", (max, keys, kept) => {
  expect([...filled(max, keys).keys()]).toEqual(kept);
});

test("an entry that was used is dropped after those set before its use", () => {
  const map = filled(3, ["a", "b", "c"]);
  expect([map.use("a"), map.use("x")]).toEqual(["A", undefined]);
  map.set("d", "D");
  expect([...map.keys()]).toEqual(["c", "a", "d"]);
});

test("reading an entry leaves its place", () => {
  const map = filled(2, ["a", "b"]);
  expect(map.get("a")).toBe("A");
  expect([...map.set("c", "C").keys()]).toEqual(["b", "c"]);
});
