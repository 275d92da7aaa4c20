import { describe, expect, test } from "bun:test";
import type { Usage } from "../../../src/engine/models/model.ts";
import { costMicros, dearestPrice, type Price } from "../../../src/engine/models/price.ts";

const usage = (inputTokens: number, outputTokens: number, more: Partial<Usage> = {}): Usage => ({
  inputTokens,
  outputTokens,
  cachedTokens: 0,
  estimated: false,
  ...more,
});

describe("what a call cost", () => {
  const price: Price = { in: 2500, out: 10_000, cached: 1250, written: 3125 };
  test.each<[string, Usage, Price, number]>([
    ["nothing", usage(0, 0), price, 0],
    ["input and output", usage(1000, 1000), price, 12_500],
    ["the cached part", usage(1000, 0, { cachedTokens: 400 }), price, 2000],
    ["the written part", usage(1000, 0, { writtenTokens: 400 }), price, 2750],
    ["both parts", usage(1000, 0, { cachedTokens: 400, writtenTokens: 600 }), price, 2375],
    [
      "parts without a price of their own",
      usage(1000, 0, { cachedTokens: 500, writtenTokens: 500 }),
      { in: 7, out: 0 },
      7,
    ],
    ["parts that are more than the whole", usage(10, 0, { cachedTokens: 99, writtenTokens: 99 }), price, 13],
    ["half a micro", usage(10, 0), { in: 50, out: 0 }, 1],
    ["less than half a micro", usage(9, 0), { in: 50, out: 0 }, 0],
    ["a fraction of a micro", usage(1000, 2000), { in: 37.5, out: 0.25 }, 38],
  ])("%s", (_, used, at, micros) => {
    expect(costMicros(used, at)).toBe(micros);
  });
});

test("the dearest of several prices goes part by part, and by what is known", () => {
  expect(dearestPrice([])).toBeUndefined();
  expect(dearestPrice([undefined, undefined])).toBeUndefined();
  expect(dearestPrice([{ in: 1, out: 9 }, undefined, { in: 5, out: 2 }])).toEqual({ in: 5, out: 9 });
  expect(dearestPrice([{ in: 4, out: 1, cached: 0.4, written: 5 }])).toEqual({ in: 5, out: 1 });
});
