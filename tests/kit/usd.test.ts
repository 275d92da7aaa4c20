import { expect, test } from "bun:test";
import fc from "fast-check";
import { microsOfUsd, usdMax, usdOfMicros } from "../../src/kit/usd.ts";

test.each([
  [0, 0],
  [-0, 0],
  [0.000_001, 1],
  [0.1, 100_000],
  [1.005, 1_005_000],
  [12.345_678, 12_345_678],
  [usdMax, usdMax * 1_000_000],
  [-0.000_001, undefined],
  [0.000_000_1, undefined],
  [0.1 + 0.2, undefined],
  [usdMax + 1, undefined],
  [1e300, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
])("%p dollars are %p micros", (usd, micros) => {
  expect(microsOfUsd(usd)).toBe(micros as number);
});

test("micros become dollars and micros again, up to four thousand million dollars", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000_000_000 }), (micros) => {
      expect(microsOfUsd(usdOfMicros(micros))).toBe(micros);
    }),
  );
});
