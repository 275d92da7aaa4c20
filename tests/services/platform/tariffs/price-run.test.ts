import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { microsMax } from "../../../../src/contracts/platform/billing/micros.ts";
import type { RuntimeUsage } from "../../../../src/contracts/runtime/runs.ts";
import { holdTokensMin, sizeHold } from "../../../../src/services/platform/runs/admission/size-hold.ts";
import { priceRun, type Rates } from "../../../../src/services/platform/tariffs/price-run.ts";

const rates = (change: Partial<Rates> = {}): Rates => ({
  creditsIn: 1000,
  creditsOut: 3000,
  creditsCached: 500,
  providerIn: 100,
  providerOut: 200,
  infraPerSecond: 0,
  ...change,
});

const none = { providerIn: undefined, providerOut: undefined };

const used = (change: Partial<RuntimeUsage> = {}): RuntimeUsage => ({
  provider: "lab",
  model: "m",
  role: "main",
  tokens_in: 0,
  tokens_out: 0,
  tokens_cached: 0,
  estimated: false,
  ...change,
});

/** Rates with three decimals. */
const thousandths = (max: number) => fc.nat(max * 1000).map((rate) => rate / 1000);

describe("the price of a run", () => {
  test.each<[string, RuntimeUsage[], Rates, number]>([
    ["nothing", [], rates(), 0],
    ["input and output", [used({ tokens_in: 1000, tokens_out: 1000 })], rates(), 4000],
    ["cached input", [used({ tokens_in: 1000, tokens_cached: 1000 })], rates(), 500],
    ["more cached than input", [used({ tokens_in: 10, tokens_cached: 1000 })], rates(), 5],
    ["half a micro per 1000 tokens, up", [used({ tokens_in: 1000 })], rates({ creditsIn: 37.5 }), 38],
    [
      "thousandths, once",
      [used({ tokens_in: 1_000_000, tokens_out: 999 })],
      rates({ creditsIn: 37.501, creditsOut: 0.001 }),
      37_501,
    ],
    ["half a micro, up", [used({ tokens_in: 1 })], rates({ creditsIn: 500 }), 1],
    ["less than half, down", [used({ tokens_in: 1 })], rates({ creditsIn: 499 }), 0],
    [
      "two models that round together",
      [used({ tokens_in: 1 }), used({ model: "n", tokens_in: 1 })],
      rates({ creditsIn: 250 }),
      1,
    ],
    [
      "more than a double holds on the way",
      [used({ tokens_in: 9_007_199_255 })],
      rates({ creditsIn: 999_999_999 }),
      9_007_199_245_992_801,
    ],
  ])("of %s", (_, usage, rate, expected) => {
    expect(priceRun(usage, () => rate, 0).creditsMicros).toBe(expected);
  });

  test("a model without a tariff is charged zero and reported", () => {
    const usage = [used({ tokens_in: 1000 }), used({ model: "unknown", tokens_in: 1000 })];
    const price = priceRun(usage, (_, model) => (model === "m" ? rates() : undefined), 0);
    expect(price).toMatchObject({ creditsMicros: 1000, pricingStatus: "unpriced" });
    expect(price.byModel.map(({ creditsMicros, priced }) => [creditsMicros, priced])).toEqual([
      [1000, true],
      [0, false],
    ]);
  });

  test("estimated usage is reported, and a run's time costs what its dearest host does", () => {
    const usage = [used({ tokens_in: 10, estimated: true }), used({ model: "n" })];
    const price = priceRun(usage, (_, model) => rates({ infraPerSecond: model === "m" ? 40 : 100 }), 2500);
    expect(price).toMatchObject({ usageEstimated: true, infraCostMicros: 250, providerCostMicros: 1 });
  });

  test.each<[string, Partial<RuntimeUsage>, Partial<Rates>, number | null]>([
    ["the tariff's, with its cached price", { tokens_cached: 800 }, { providerCached: 10 }, 228],
    ["the tariff's, before the engine's, if it is complete", { cost_micros: 7 }, {}, 300],
    ["the engine's if the tariff has no cached price", { tokens_cached: 800, cost_micros: 70 }, {}, 70],
    ["the tariff's, as input, if nobody knows a cached price", { tokens_cached: 800 }, {}, 300],
    ["the tariff's, of a model on own machines", { tokens_cached: 800, cost_micros: 0 }, {}, 300],
    ["the engine's if the tariff has none", { cost_micros: 7 }, none, 7],
    ["nothing on own machines if the tariff has none", { cost_micros: 0 }, none, 0],
    ["unknown if neither has one", { cost_micros: null }, none, null],
    ["unknown if the runtime tells nothing", {}, none, null],
    ["the engine's if the tariff lacks the output's", { cost_micros: 7 }, { providerOut: undefined }, 7],
    ["nothing without tokens", { tokens_in: 0, tokens_out: 0 }, none, 0],
  ])("the provider's cost is %s", (_, usage, change, expected) => {
    const line = used({ tokens_in: 1000, tokens_out: 1000, ...usage });
    const price = priceRun([line], () => rates(change), 0);
    expect(price.byModel[0]?.providerCostMicros).toBe(expected);
    expect(price).toMatchObject({ providerCostMicros: expected ?? 0, costUnknown: expected === null });
  });

  test("without a tariff, the cost is the engine's, and an unknown part leaves the rest known", () => {
    const usage = [used({ tokens_in: 10, cost_micros: 5 }), used({ model: "n", tokens_in: 10 })];
    expect(priceRun(usage, () => undefined, 0)).toMatchObject({ providerCostMicros: 5, costUnknown: true });
  });

  test("the figures of the models add up to the run's, to the micro", () => {
    const tokens = fc.nat(200_000);
    const usages = fc.array(
      fc.record({ tokens_in: tokens, tokens_out: tokens, tokens_cached: tokens, rate: thousandths(100_000) }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(usages, (lines) => {
        const usage = lines.map(({ rate: _, ...line }, index) => used({ ...line, model: String(index) }));
        const of = (model: string) => lines[Number(model)]?.rate ?? 0;
        const price = priceRun(
          usage,
          (_, model) => rates({ creditsIn: of(model), creditsOut: of(model) }),
          0,
        );
        expect(price.byModel.reduce((sum, { creditsMicros }) => sum + creditsMicros, 0)).toBe(
          price.creditsMicros,
        );
      }),
    );
  });
});

describe("the hold of a run", () => {
  test.each<[string, number, number | undefined, { micros: number; tokens: number } | undefined]>([
    ["no bound", 64_000, undefined, { tokens: 64_000, micros: 192_000 }],
    ["enough", 64_000, 192_000, { tokens: 64_000, micros: 192_000 }],
    ["a micro too little", 64_000, 191_999, { tokens: 63_999, micros: 191_997 }],
    ["just enough for a run", 64_000, 6000, { tokens: 2000, micros: 6000 }],
    ["not enough for a run", 64_000, 5999, undefined],
    ["nothing left", 64_000, 0, undefined],
    ["less than nothing", 64_000, -5, undefined],
    ["a plan of short runs", 100, 300, { tokens: 100, micros: 300 }],
  ])("with %s", (_, tokensMax, remaining, expected) => {
    expect(sizeHold(tokensMax, [rates(), undefined], remaining)).toEqual(expected);
  });

  test("a run of free models holds nothing", () => {
    for (const remaining of [0, -5]) {
      expect(sizeHold(64_000, [undefined], remaining)).toEqual({ tokens: 64_000, micros: 0 });
    }
  });

  test("stays within exact integers, also at the dearest tariff and without a limit", () => {
    const hold = sizeHold(10_000_000, [rates({ creditsOut: microsMax })], undefined);
    expect(hold).toEqual({ tokens: 1_000_000, micros: 1_000_000_000_000_000 });
  });

  test("covers any use of its tokens", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        thousandths(100_000),
        thousandths(100_000),
        fc.nat(10_000_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (tokensMax, creditsIn, creditsOut, remaining, share) => {
          const rate = rates({ creditsIn, creditsOut, creditsCached: Math.min(creditsIn, 7) });
          const hold = sizeHold(tokensMax, [rate], remaining);
          if (hold === undefined) return;
          expect(hold.micros).toBeLessThanOrEqual(remaining);
          expect(hold.tokens).toBeGreaterThanOrEqual(Math.min(holdTokensMin, tokensMax));
          const tokens_in = Math.floor(hold.tokens * share);
          const usage = [used({ tokens_in, tokens_out: hold.tokens - tokens_in })];
          expect(priceRun(usage, () => rate, 0).creditsMicros).toBeLessThanOrEqual(hold.micros);
        },
      ),
    );
  });
});
