import { expect, test } from "bun:test";
import fc from "fast-check";
import { firstOf } from "../../src/kit/ranking.ts";

test("the first of any items are those of the sorted list", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -9, max: 9 })), fc.integer({ min: 1, max: 12 }), (items, size) => {
      const all = items.map((value, at) => ({ value, at }));
      const order = (a: (typeof all)[number], b: (typeof all)[number]) => a.value - b.value || a.at - b.at;
      expect(firstOf(all, size, order)).toEqual(all.toSorted(order).slice(0, size));
    }),
  );
});
