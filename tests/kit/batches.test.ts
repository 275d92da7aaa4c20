import { expect, test } from "bun:test";
import { batches } from "../../src/kit/batches.ts";

test("a list is split into parts of the size, the last one shorter", () => {
  expect([...batches([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
  expect([...batches([1, 2], 2)]).toEqual([[1, 2]]);
  expect([...batches([], 2)]).toEqual([]);
});
