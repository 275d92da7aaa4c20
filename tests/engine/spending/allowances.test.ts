import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { costMicros, type Price } from "../../../src/engine/models/price.ts";
import {
  type Allowance,
  type Hold,
  holdAll,
  type SpentCall,
} from "../../../src/engine/spending/allowance.ts";
import { createMoneyAllowance, type MoneyAccount } from "../../../src/engine/spending/money-allowance.ts";
import { createTokenAllowance } from "../../../src/engine/spending/token-allowance.ts";
import { AppError } from "../../../src/kit/app-error.ts";

const plan = (inputTokensMax: number, answerTokensMax?: number, price?: Price) => ({
  inputTokensMax,
  answerTokensMax,
  answerTokensUsual: answerTokensMax ?? 4096,
  price,
});

const spent = (inputTokens: number, outputTokens: number, price?: Price): SpentCall => ({
  provider: "lab",
  model: "m",
  usage: { inputTokens, outputTokens, cachedTokens: 0, estimated: false },
  price,
});

const isRefusal = (thrown: unknown) => thrown instanceof AppError && thrown.code === "budget_exceeded";

/** Returns undefined if the hold is refused. */
function tryToHold(allowance: Allowance, call: Parameters<Allowance["hold"]>[0]): Hold | undefined {
  try {
    return allowance.hold(call);
  } catch (thrown) {
    expect(isRefusal(thrown)).toBe(true);
    return undefined;
  }
}

/** An account in memory whose held and spent amounts never exceed its limit. */
function account(limitMicros: number) {
  const state = { spent: 0, held: 0, peak: 0 };
  const port: MoneyAccount = {
    leftMicros: () => limitMicros - state.spent - state.held,
    hold(micros) {
      state.held += micros;
      state.peak = Math.max(state.peak, state.held + state.spent);
      return undefined;
    },
    settle(held, calls) {
      state.held -= held;
      for (const { usage, price } of calls) if (price) state.spent += costMicros(usage, price);
      state.peak = Math.max(state.peak, state.held + state.spent);
    },
    correct() {},
    refusal: () => new AppError("payment_required", "budget_exceeded", "No."),
  };
  return { state, allowance: createMoneyAllowance(port) };
}

describe("the tokens of a run", () => {
  test("an answer without a limit of its own may take what is left", () => {
    const allowance = createTokenAllowance(1000);
    const hold = allowance.hold(plan(300));
    expect(hold.answerTokensMax).toBe(700);
    hold.settle([spent(100, 200)]);
    expect(allowance.hold(plan(300)).answerTokensMax).toBe(400);
  });
  test("a settlement counts once", () => {
    const allowance = createTokenAllowance(100);
    const hold = allowance.hold(plan(20, 20));
    hold.settle([spent(10, 10)]);
    hold.settle([spent(10, 10)]);
    expect(allowance.hold(plan(0)).answerTokensMax).toBe(80);
  });
  test.each([
    ["the answer is cut", 40, 84, 60],
    ["to 16 tokens at least", 84, 16, 16],
    ["and no further", 85, 16, undefined],
    ["unless less was asked for", 90, 10, 10],
  ])("%s", (_, input, wanted, answer) => {
    expect(tryToHold(createTokenAllowance(100), plan(input, wanted))?.answerTokensMax).toBe(answer as number);
  });
  test("a refusal says what is left of the run's limit, also in a part", () => {
    const [part] = createTokenAllowance(1000).split(4);
    expect(() => part?.hold(plan(251))).toThrow(
      "The run's limit of 1000 tokens has no room for another model call: 250 are left.",
    );
  });
  test("who reports more than was allowed is counted all the same, and later calls are refused", () => {
    const allowance = createTokenAllowance(100);
    allowance.hold(plan(20, 20)).settle([spent(500, 500)]);
    expect(tryToHold(allowance, plan(1, 1))).toBeUndefined();
    for (const part of allowance.split(3)) expect(tryToHold(part, plan(0, 1))).toBeUndefined();
  });
  test("parts can't take from each other, and give back what they leave", () => {
    const allowance = createTokenAllowance(900);
    const [first, second, third] = allowance.split(3);
    const holds = [first, second, third].map((part) => part?.hold(plan(100)));
    expect(holds.map((hold) => hold?.answerTokensMax)).toEqual([200, 200, 200]);
    for (const hold of holds) hold?.settle([spent(10, 10)]);
    expect(allowance.hold(plan(0)).answerTokensMax).toBe(840);
  });
});

describe("the money of an agent", () => {
  const price = { in: 1000, out: 2000 };
  test.each<[string, number, number | undefined, number | undefined]>([
    ["what is wanted, where there is enough", 10_000, 100, 100],
    ["4,096 tokens where nobody says", 10_000, undefined, 4096],
    ["what is left, where that is less", 150, 100, 50],
    ["16 tokens at least", 82, 100, 16],
    ["nothing below", 81, 100, undefined],
    ["a shorter answer that was asked for", 60, 5, 5],
    ["nothing when the input alone is too dear", 49, 1, undefined],
  ])("holds %s", (_, left, wanted, answer) => {
    const { allowance } = account(left);
    expect(tryToHold(allowance, plan(50, wanted, price))?.answerTokensMax).toBe(answer as number);
  });
  test("what an answer may be long at most by the tokens of the run doesn't make the hold larger", () => {
    const { allowance, state } = account(1_000_000);
    const hold = holdAll([createTokenAllowance(1_000_000), allowance], plan(0, undefined, price));
    expect(hold.answerTokensMax).toBe(4096);
    expect(state.held).toBe(8192);
  });
  test.each([
    [1, 1, { in: 1, out: 0 }, 1],
    [999, 1, { in: 1, out: 1 }, 1],
    [1000, 1, { in: 1, out: 1 }, 2],
    [3, 1, { in: 0.1, out: 0.2 }, 1],
  ])(
    "%d input and %d answer tokens at %j hold %d micros: a part of a micro counts as one",
    (input, answer, price, held) => {
      const { allowance, state } = account(1_000_000);
      allowance.hold(plan(input, answer, price));
      expect(state.held).toBe(held);
    },
  );
  test("what costs nothing needs nothing, and an unpriced call can't be bounded", () => {
    const { allowance, state } = account(-5);
    for (const free of [{ in: 0, out: 0 }, undefined]) {
      const hold = allowance.hold(plan(50, undefined, free));
      expect(hold.answerTokensMax).toBeUndefined();
      hold.settle([spent(50, 50, free)]);
    }
    expect(state).toMatchObject({ spent: 0, held: 0 });
  });
  test("when one of several limits refuses, nothing is held under the others", () => {
    const { allowance, state } = account(1_000_000);
    expect(() => holdAll([allowance, createTokenAllowance(10)], plan(50, 10, price))).toThrow();
    expect(state.held).toBe(0);
  });
  test("prices with fractions are held exactly", () => {
    fc.assert(
      fc.property(
        fc.record({
          left: fc.integer({ min: 0, max: 100_000 }),
          input: fc.integer({ min: 0, max: 5000 }),
          in: fc.double({ min: 0, max: 1e5, noNaN: true }),
          out: fc.oneof(
            fc.double({ min: 1e-3, max: 1e5, noNaN: true }),
            fc.double({ min: 0, max: 1e-3, noNaN: true }),
          ),
        }),
        ({ left, input, ...fractions }) => {
          const { allowance, state } = account(left);
          const hold = tryToHold(allowance, plan(input, undefined, fractions));
          if (hold === undefined) return;
          hold.settle([spent(input, hold.answerTokensMax ?? 0, fractions)]);
          expect(state.peak).toBeLessThanOrEqual(left);
          expect(state.spent).toBeLessThanOrEqual(left);
        },
      ),
    );
  });
});

/** Calls that begin and end in any order, each within its limits. */
const steps = fc.array(
  fc.record({
    /** Ends the running call with this number, or begins one. */
    ends: fc.option(fc.nat({ max: 9 })),
    input: fc.integer({ min: 0, max: 200 }),
    wanted: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
    part: fc.nat({ max: 3 }),
    /** Share of its allowance that the call uses, in hundredths. */
    uses: fc.integer({ min: 0, max: 100 }),
  }),
  { maxLength: 60 },
);

test("what is held and used never passes a limit, in any order of calls", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 0, max: 3000 }), (script, limit) => {
      const price = { in: 300, out: 700 };
      const tokens = createTokenAllowance(limit);
      const money = account(limit);
      const threads = [tokens, ...tokens.split(3)].map((part) => [part, money.allowance]);
      const open: { hold: Hold; input: number; uses: number }[] = [];
      let used = 0;
      for (const { ends, input, wanted, part, uses } of script) {
        if (ends !== null) {
          const [call] = open.splice(ends % Math.max(1, open.length), 1);
          if (call === undefined) continue;
          const inputTokens = Math.floor((call.input * call.uses) / 100);
          const outputTokens = Math.floor(((call.hold.answerTokensMax ?? 0) * call.uses) / 100);
          call.hold.settle([spent(inputTokens, outputTokens, price)]);
          used += inputTokens + outputTokens;
        } else {
          try {
            const hold = holdAll(threads[part] ?? [], plan(input, wanted, price));
            open.push({ hold, input, uses });
          } catch (thrown) {
            expect(isRefusal(thrown)).toBe(true);
          }
        }
        expect(used).toBeLessThanOrEqual(limit);
        expect(money.state.peak).toBeLessThanOrEqual(limit);
        expect(money.state.held).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
