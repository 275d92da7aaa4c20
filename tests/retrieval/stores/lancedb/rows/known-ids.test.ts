import { expect, test } from "bun:test";
import fc from "fast-check";
import { KnownIds } from "../../../../../src/retrieval/stores/lancedb/rows/known-ids.ts";

test("every id that was added is known", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string({ unit: "binary" }))), (additions) => {
      const known = new KnownIds();
      for (const ids of additions) known.add(ids);
      for (const ids of additions) expect(known.among(ids)).toEqual(ids);
    }),
  );
});

test("hardly any other is, also when there are many", () => {
  const known = new KnownIds();
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => `id-${from + at}`);
  known.add(ids(0, 200_000));
  expect(known.among(ids(0, 200_000))).toHaveLength(200_000);
  expect(known.among(ids(1_000_000, 200_000)).length).toBeLessThan(40);
});

test("nothing is known before something was added", () => {
  expect(new KnownIds().among(["a", ""])).toEqual([]);
});
