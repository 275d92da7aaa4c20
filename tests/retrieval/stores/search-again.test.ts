import { expect, test } from "bun:test";
import { searchAgain } from "../../../src/retrieval/stores/search-again.ts";
import type { VectorHit } from "../../../src/retrieval/stores/vector-store.ts";

const rows = Array.from({ length: 100 }, (_, at): VectorHit => {
  return { id: `row-${at}`, group: "g", text: "", metadata: { at }, score: 1 - at / 100 };
});
const passes = ({ metadata }: VectorHit) => Number(metadata.at) % 10 === 9;

test("it looks further until enough pass, or there are no more", async () => {
  const asked: number[] = [];
  const quickly = async (limit: number) => {
    asked.push(limit);
    return rows.slice(0, limit);
  };
  const found = await searchAgain({ limit: 3, passes, quickly });
  expect(found.map(({ id }) => id)).toEqual(["row-9", "row-19", "row-29"]);
  expect(asked).toEqual([3, 12, 48]);
  expect(await searchAgain({ limit: 50, passes, quickly })).toHaveLength(10);
});

test("where the quick way gives fewer than asked for, the exact one is asked, and only there", async () => {
  const exact: number[] = [];
  const search = {
    passes,
    quickly: async (limit: number) => rows.slice(0, Math.min(limit, 20)),
    exactly: async (limit: number) => {
      exact.push(limit);
      return rows.slice(0, limit);
    },
  };
  expect(await searchAgain({ ...search, limit: 1 })).toMatchObject([{ id: "row-9" }]);
  expect(exact).toEqual([]);
  expect(await searchAgain({ ...search, limit: 8 })).toHaveLength(8);
  expect(exact).toEqual([32, 128]);
});

test("a server that never runs out of rows that don't pass is asked nine times", async () => {
  let asked = 0;
  const quickly = async (limit: number) => {
    asked++;
    return Array.from({ length: limit }, () => rows[0] as VectorHit);
  };
  expect(await searchAgain({ limit: 1, passes: () => false, quickly })).toEqual([]);
  expect(asked).toBe(9);
});
