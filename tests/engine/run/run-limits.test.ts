import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ModelEvent, ModelRequest, Usage } from "../../../src/engine/models/model.ts";
import { ModelFailure } from "../../../src/engine/models/model-failure.ts";
import { costMicros } from "../../../src/engine/models/price.ts";
import type { RunLimits } from "../../../src/engine/run-state/run-request.ts";
import { inputTokensMax } from "../../../src/engine/spending/call-bounds.ts";
import { createMoneyAllowance, type MoneyAccount } from "../../../src/engine/spending/money-allowance.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { endOfAnswer, type ScriptedCall } from "../../support/scripted-model.ts";
import { asks, type Stage, type StageOptions, says, stage, untilAbort } from "../../support/staged-run.ts";

const usage = (inputTokens: number, outputTokens: number): Usage => ({
  inputTokens,
  outputTokens,
  cachedTokens: 0,
  estimated: false,
});

/** An answer that reports this usage. */
const using = (events: ModelEvent[], inputTokens: number, outputTokens: number): ModelEvent[] =>
  events.map((event) =>
    event.type === "end" ? { ...event, usage: usage(inputTokens, outputTokens) } : event,
  );

const spec = { prompts: { system: "" } };
const clock = { type: "builtin", name: "datetime_now" };

/** Returns the total usage of all calls of a stage. */
const usedTokens = ({ usage: records }: Stage) =>
  records.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);

const run = (options: StageOptions, limits: RunLimits) => {
  const staged = stage({ spec, ...options });
  return { staged, played: staged.run({ limits }) };
};

const codeOf = (thrown: unknown) => (thrown as AppError).code;

describe("the tokens of a run", () => {
  test("the answer may take what the question leaves: bytes and 8 a message", async () => {
    const { staged, played } = run({ calls: [using(says("ok"), 4, 2)] }, { totalTokens: 100 });
    expect((await played).thrown).toBeUndefined();
    expect(staged.model.requests[0]?.answerTokensMax).toBe(100 - 2 - 8);
  });
  test("each call with tools has what those before left, until too little is left (402)", async () => {
    const calls = [using(asks("", "datetime_now"), 60, 40)];
    const { staged, played } = run(
      { calls, spec: { ...spec, tools: [clock], orchestration: { max_iterations: 50 } } },
      { totalTokens: 2000 },
    );
    const { thrown } = await played;
    expect(codeOf(thrown)).toBe("budget_exceeded");
    expect((thrown as AppError).status).toBe(402);
    const ceilings = staged.model.requests.map(
      (request) => inputTokensMax(request) + (request.answerTokensMax ?? 0),
    );
    expect(ceilings.length).toBeGreaterThan(3);
    expect(ceilings).toEqual(ceilings.map((_, call) => 2000 - 100 * call));
  });
  test("the tighter of the caller's and the agent's own limit counts", async () => {
    for (const [own, callers] of [
      [60, 5000],
      [5000, 60],
    ] as const) {
      const options = { spec: { ...spec, orchestration: { max_run_tokens: own } } };
      const { staged, played } = run(options, { totalTokens: callers });
      await played;
      expect(staged.model.requests[0]?.answerTokensMax).toBe(50);
    }
  });
  test("what a call may answer with is bounded for each, with and without a limit of all", async () => {
    for (const [limits, ceiling] of [
      [{ callTokens: 30 }, 30],
      [{ callTokens: 30, totalTokens: 1000 }, 30],
      [{ callTokens: 500, totalTokens: 100 }, 90],
    ] as const) {
      const { staged, played } = run({}, limits);
      await played;
      expect(staged.model.requests[0]?.answerTokensMax).toBe(ceiling);
    }
  });
  test("a provider that reports more than it was allowed is counted, and is not called again", async () => {
    const calls = [using(asks("", "datetime_now"), 10, 900), says("ok")];
    const { staged, played } = run({ calls, spec: { ...spec, tools: [clock] } }, { totalTokens: 500 });
    expect(codeOf((await played).thrown)).toBe("budget_exceeded");
    expect(staged.model.requests).toHaveLength(1);
    expect(usedTokens(staged)).toBe(910);
  });
});

describe("failing over", () => {
  const failed = new ModelFailure("unusable", "Nothing.", { usage: usage(8, 42) });

  test("takes from the limit what the failed call has used", async () => {
    const { staged, played } = run(
      { calls: [failed], fallback: [using(says("ok"), 5, 5)] },
      { totalTokens: 100 },
    );
    expect((await played).result?.provider).toBe("spare");
    expect(staged.model.requests[0]?.answerTokensMax).toBe(90);
    expect(staged.modelOf("staged/spare").requests[0]?.answerTokensMax).toBe(40);
    expect(staged.usage.map(({ provider, outputTokens }) => [provider, outputTokens])).toEqual([
      ["lab", 42],
      ["spare", 5],
    ]);
  });
  test("is refused when what is left can't cover another call", async () => {
    const { staged, played } = run({ calls: [failed], fallback: [says("ok")] }, { totalTokens: 70 });
    expect(codeOf((await played).thrown)).toBe("budget_exceeded");
    expect(staged.modelOf("staged/spare").requests).toHaveLength(0);
    expect(usedTokens(staged)).toBe(50);
  });
  test("has its own failure if no other provider is left to try", async () => {
    const { staged, played } = run({ calls: [failed] }, { totalTokens: 60 });
    expect(codeOf((await played).thrown)).toBe("provider_failed");
    expect(usedTokens(staged)).toBe(50);
  });
  test("counts nothing for a candidate that could not be reached", async () => {
    const unreachable = new ModelFailure("unreachable", "Refused.");
    const { staged, played } = run(
      { calls: [unreachable], fallback: [using(says("ok"), 5, 5)] },
      { totalTokens: 100 },
    );
    await played;
    expect(staged.modelOf("staged/spare").requests[0]?.answerTokensMax).toBe(90);
    expect(staged.usage).toHaveLength(1);
  });
});

describe("a call that is cut off", () => {
  test("by its provider is counted by an estimate, an answer never above its ceiling", async () => {
    const text = "word ".repeat(100);
    const calls = [{ text, cutBy: new ModelFailure("unusable", "It broke off.") }];
    const { staged, played } = run({ calls }, { totalTokens: 40 });
    expect(codeOf((await played).thrown)).toBe("provider_failed");
    expect(staged.usage).toMatchObject([{ outputTokens: 30, estimated: true }]);
  });
  test("by its reader is counted as far as it was read", async () => {
    const staged = stage({ spec, calls: [says("eight le", "tters")] });
    for await (const event of staged.start({ limits: { totalTokens: 100 } }))
      if (event.type === "token") break;
    expect(staged.usage).toMatchObject([{ outputTokens: 2, estimated: true }]);
  });
  test("before its first word has cost its question", async () => {
    const caller = new AbortController();
    const calls: ScriptedCall[] = [
      async function* (_, signal) {
        caller.abort();
        await untilAbort(signal);
        yield endOfAnswer;
      },
    ];
    const staged = stage({ spec, calls });
    const { thrown } = await staged.run({ cancelledBy: [caller.signal], limits: { totalTokens: 100 } });
    expect(codeOf(thrown)).toBe("run_cancelled");
    expect(staged.usage).toMatchObject([
      { provider: "lab", inputTokens: 5, outputTokens: 0, estimated: true },
    ]);
  });
});

describe("other limits of a caller", () => {
  test("iterations", async () => {
    const { staged, played } = run(
      { calls: [asks("", "datetime_now")], spec: { ...spec, tools: [clock] } },
      { iterations: 2 },
    );
    expect(codeOf((await played).thrown)).toBe("max_iterations");
    expect(staged.model.requests.map(({ toolChoice }) => toolChoice)).toEqual(["auto", "none"]);
  });
  test("time", async () => {
    const calls: ScriptedCall[] = [
      async function* (_, signal) {
        await untilAbort(signal);
        yield endOfAnswer;
      },
    ];
    const { staged, played } = run({ calls }, { timeoutMs: 1500 });
    await staged.clock.advance(1500);
    expect((await played).thrown).toMatchObject({
      code: "orchestration_timeout",
      message: "Agent staged did not finish within 1.5 seconds.",
    });
  });
});

test("all that a run lets work shares its limit, side by side and one after another", async () => {
  const desk = { name: "desk", type: "agent", config: { agent: "desk" } };
  const shop = { name: "shop", type: "agent", config: { agent: "shop" } };
  const query = { query: "Help." };
  const staged = stage({
    spec: { ...spec, tools: [desk, shop] },
    calls: [
      using(asks("", { name: "desk", input: query }, { name: "shop", id: "c1", input: query }), 100, 100),
      using(says("Done."), 10, 10),
    ],
    agents: {
      desk: { spec, calls: [using(says("Yes."), 5, 20)] },
      shop: { spec, calls: [using(says("No."), 5, 30)] },
    },
  });
  const { result } = await staged.run({ limits: { totalTokens: 2000 } });
  expect(result?.usage.total_tokens).toBe(280);
  const ceilings = ["desk", "shop"].map((name) => staged.modelOf(name).requests[0]?.answerTokensMax);
  // Half of the rest after the first call, minus the five bytes of the question and the message overhead.
  expect(ceilings).toEqual([900 - 13, 900 - 13]);
  const last = staged.model.requests[1];
  expect(last && inputTokensMax(last) + (last.answerTokensMax ?? 0)).toBe(2000 - 200 - 60);
});

test("a budget covers what sub-agents spend, beside their own", async () => {
  const price = { in: 1000, out: 1000 };
  const budgets = { staged: account(1000), desk: account(1000) };
  const desk = { name: "desk", type: "agent", config: { agent: "desk" } };
  const staged = stage({
    spec: { ...spec, tools: [desk] },
    price,
    calls: [
      using(asks("", { name: "desk", input: { query: "Help." } }), 20, 20),
      using(says("Done."), 10, 10),
    ],
    agents: { desk: { spec, price, calls: [using(says("Yes."), 5, 20)] } },
    budgets: { staged: budgets.staged.allowance, desk: budgets.desk.allowance },
  });
  expect((await staged.run()).thrown).toBeUndefined();
  expect(budgets.staged.state).toEqual({ spent: 85, held: 0, peak: expect.any(Number) });
  expect(budgets.desk.state).toEqual({ spent: 25, held: 0, peak: expect.any(Number) });
});

test("a call waits until its hold is kept, and is not made when that fails", async () => {
  const kept = Promise.withResolvers<void>();
  const settled: unknown[] = [];
  const budget = {
    hold: () => ({
      answerTokensMax: 50,
      kept: kept.promise,
      settle: (spent: unknown) => settled.push(spent),
    }),
    split: () => [],
  };
  const staged = stage({ spec, budgets: { staged: budget } });
  const played = staged.run();
  await staged.clock.advance(0);
  expect(staged.model.requests).toHaveLength(0);
  kept.reject(new AppError("payment_required", "budget_exceeded", "Another process was quicker."));
  expect(codeOf((await played).thrown)).toBe("budget_exceeded");
  expect(staged.model.requests).toHaveLength(0);
  expect(settled).toEqual([[]]);
});

/** An account in memory. */
function account(limitMicros: number) {
  const state = { spent: 0, held: 0, peak: 0 };
  const seen = () => {
    state.peak = Math.max(state.peak, state.held + state.spent);
  };
  const port: MoneyAccount = {
    leftMicros: () => limitMicros - state.spent - state.held,
    hold(micros) {
      state.held += micros;
      seen();
      return undefined;
    },
    settle(held, calls) {
      state.held -= held;
      for (const { usage: used, price } of calls) if (price) state.spent += costMicros(used, price);
      seen();
    },
    correct() {},
    refusal: () => new AppError("payment_required", "budget_exceeded", "No."),
  };
  return { state, allowance: createMoneyAllowance(port) };
}

/** A model's behaviour in one call, within its limits: its usage in hundredths, and how it ends. */
const deed = fc.record({
  reads: fc.integer({ min: 0, max: 100 }),
  writes: fc.integer({ min: 0, max: 100 }),
  does: fc.constantFrom("answer", "answer", "tool", "agents", "agents", "fail", "cut", "refuse"),
});
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

function perform({ reads, writes, does }: Deed): ScriptedCall {
  return async function* (request: ModelRequest) {
    const used = usage(
      Math.floor((inputTokensMax(request) * reads) / 100),
      Math.floor(((request.answerTokensMax ?? 50) * writes) / 100),
    );
    const query = { query: "Help me." };
    if (does === "fail") throw new ModelFailure("unusable", "Nothing.", { usage: used });
    if (does === "refuse") throw new ModelFailure("content_refused", "No.", { usage: used });
    if (does === "tool")
      return yield* using(asks("Hm.", "datetime_now"), used.inputTokens, used.outputTokens);
    if (does === "agents") {
      const calls = ["desk", "shop"].map((name, index) => ({ name, id: `a${index}`, input: query }));
      return yield* using(asks("Hm.", ...calls), used.inputTokens, used.outputTokens);
    }
    yield { type: "text", text: "A word or two, and some more." };
    if (does === "cut") throw new ModelFailure("unusable", "It broke off.");
    yield { type: "end", finish: "stop", usage: used };
  };
}

test("for any allowed behaviour of models, a run keeps within its tokens and its money", async () => {
  const script = fc.array(deed, { minLength: 1, maxLength: 4 });
  const scripts = fc.record({ staged: script, spare: script, desk: script, shop: script });
  const limits = fc.record({
    totalTokens: fc.integer({ min: 0, max: 6000 }),
    money: fc.integer({ min: 0, max: 6000 }),
    maxTokens: fc.option(fc.integer({ min: 1, max: 400 }), { nil: undefined }),
  });
  let used = 0;
  await fc.assert(
    fc.asyncProperty(scripts, limits, async (does, { totalTokens, money, maxTokens }) => {
      const price = { in: 700, out: 1300 };
      const budget = account(money);
      const agents = ["desk", "shop"].map((name) => ({ name, type: "agent", config: { agent: name } }));
      const staged = stage({
        spec: { ...spec, tools: [clock, ...agents] },
        price,
        calls: does.staged.map(perform),
        fallback: does.spare.map(perform),
        agents: {
          desk: { spec: { ...spec, tools: [clock] }, price, calls: does.desk.map(perform) },
          shop: { spec, price, calls: does.shop.map(perform), fallback: does.spare.map(perform) },
        },
        budgets: { staged: budget.allowance },
      });
      await staged.run({
        limits: { totalTokens },
        ...(maxTokens === undefined ? {} : { parameters: { max_tokens: maxTokens } }),
      });
      expect(usedTokens(staged)).toBeLessThanOrEqual(totalTokens);
      expect(budget.state.peak).toBeLessThanOrEqual(money);
      expect(budget.state.held).toBe(0);
      expect(budget.state.spent).toBe(staged.usage.reduce((sum, call) => sum + (call.costMicros ?? 0), 0));
      used += usedTokens(staged);
    }),
    { numRuns: 300 },
  );
  expect(used).toBeGreaterThan(10_000);
});
