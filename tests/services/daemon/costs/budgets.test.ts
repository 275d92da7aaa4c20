import { describe, expect, test } from "bun:test";
import type { Config } from "../../../../src/compose/settings/config.ts";
import { agentFile, type DaemonOptions, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import type { ModelScript } from "../../../support/model-server.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

/** 1,000 micros per token each way, so that a call of 10 in and 5 out costs $0.015. */
const price = { in: 1_000_000, out: 1_000_000 };

/** A daemon whose `lab` is a hosted provider with a price for `test-model`. */
function pricedDaemon({ configure = (config) => config, ...options }: DaemonOptions = {}) {
  return startDaemon({
    ...options,
    configure: (config) => {
      const lab = config.providers.providers.lab;
      if (lab === undefined) throw new Error("no lab");
      const hosted = { ...lab, type: "openai", prices: { "test-model": price } };
      const providers = { ...config.providers, providers: { ...config.providers.providers, lab: hosted } };
      return configure({ ...config, providers } satisfies Config);
    },
  });
}

const budgetOf = async (daemon: TestDaemon, agent = "helper") =>
  (await daemon.call("GET", `/v1/costs/budgets/${agent}`)).body;
const setBudget = (daemon: TestDaemon, body: unknown, agent = "helper") =>
  daemon.call("PUT", `/v1/costs/budgets/${agent}`, { body });

test("an agent without a budget may spend, and tells what it has spent", async () => {
  await using daemon = await pricedDaemon();
  await daemon.run("helper", { query: "hi" });
  expect(await budgetOf(daemon)).toEqual({
    agent: "helper",
    has_budget: false,
    budget: null,
    spent: 0.015,
    held: 0,
    remaining: null,
    exceeded: false,
    unpriced_calls: 0,
  });
  expect((await daemon.call("GET", "/v1/costs/budgets")).body).toEqual({ budgets: [] });
});

test("a budget counts the spending from then on, in dollars", async () => {
  await using daemon = await pricedDaemon();
  await daemon.run("helper", { query: "hi" });
  const set = await setBudget(daemon, { budget: 100 });
  expect(set).toMatchObject({
    status: 200,
    body: { has_budget: true, budget: 100, spent: 0, remaining: 100 },
  });
  await daemon.run("helper", { query: "hi" });
  expect(await budgetOf(daemon)).toEqual({
    agent: "helper",
    has_budget: true,
    budget: 100,
    spent: 0.015,
    held: 0,
    remaining: 99.985,
    exceeded: false,
    unpriced_calls: 0,
  });
  const list = await daemon.call("GET", "/v1/costs/budgets");
  expect(list.body.budgets.map(({ agent }: { agent: string }) => agent)).toEqual(["helper"]);

  expect((await setBudget(daemon, { budget: 50 })).body).toMatchObject({ budget: 50, spent: 0.015 });
  expect((await setBudget(daemon, { reset: true })).body).toMatchObject({ budget: 50, spent: 0 });
  expect((await setBudget(daemon, { budget: null })).body).toMatchObject({ has_budget: false, spent: 0.03 });
});

test("the answer is cut to what is left; a run that can't fit is 402", async () => {
  const spec = { prompts: { system: "" } };
  await using daemon = await pricedDaemon({ agents: { "helper.agent.yaml": agentFile("helper", spec) } });
  // "hi" is at most 2 + 8 tokens: $0.01; $0.026 more is the shortest answer that is worth a call.
  await setBudget(daemon, { budget: 0.03 });
  const answered = await daemon.run("helper", { query: "hi" });
  expect(answered.status).toBe(200);
  expect(daemon.models.lab.requests[0]?.body.max_tokens).toBe(20);
  expect(await budgetOf(daemon)).toMatchObject({ spent: 0.015, remaining: 0.015, exceeded: false });

  const refused = await daemon.run("helper", { query: "hi" });
  expect(refused).toMatchObject({ status: 402, body: { error: "budget_exceeded" } });
  expect(refused.body.message).toBe(
    "The budget of helper can't cover another model call: $0.015 of $0.03 are spent; it may cost $0.026.",
  );
  expect(refused.body.hint).toContain("argosy costs budget helper --reset");
  expect(daemon.models.lab.requests).toHaveLength(1);
  expect(await budgetOf(daemon)).toMatchObject({ spent: 0.015, exceeded: true });

  await setBudget(daemon, { budget: 1 });
  expect(await budgetOf(daemon)).toMatchObject({ exceeded: false });
  expect((await daemon.run("helper", { query: "hi" })).status).toBe(200);
});

test("without a limit of its own the answer is held to 4,096 tokens", async () => {
  await using daemon = await pricedDaemon();
  await daemon.run("helper", { query: "hi" });
  await setBudget(daemon, { budget: 1000 });
  await daemon.run("helper", { query: "hi" });
  expect(daemon.models.lab.requests.map(({ body }) => body.max_tokens)).toEqual([undefined, 4096]);
});

test("two runs at once both pass while there is plenty", async () => {
  const gate = Promise.withResolvers<void>();
  await using daemon = await pricedDaemon({
    models: {
      lab: (_, number) =>
        number === 1
          ? { text: "two", after: Promise.resolve(gate.resolve()) }
          : { text: "one", after: gate.promise },
    },
  });
  await setBudget(daemon, { budget: 10 });
  const runs = await Promise.all([
    daemon.run("helper", { query: "a" }),
    daemon.run("helper", { query: "b" }),
  ]);
  expect(runs.map(({ status }) => status)).toEqual([200, 200]);
});

test("200 runs at once never spend more than the budget that covers 10", async () => {
  const script: ModelScript = [{ text: "ok", usage: { input: 10, output: 20 } }];
  const spec = {
    model: { primary: { provider: "lab", model: "test-model", parameters: { max_tokens: 20 } } },
    prompts: { system: "" },
  };
  await using daemon = await pricedDaemon({
    models: { lab: script },
    agents: { "helper.agent.yaml": agentFile("helper", spec) },
  });
  await setBudget(daemon, { budget: 0.3 });
  const answers = await Promise.all(Array.from({ length: 200 }, () => daemon.run("helper", { query: "hi" })));
  const passed = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 402);
  expect(passed.length + refused.length).toBe(200);
  expect(passed.length).toBe(10);
  expect(daemon.models.lab.requests).toHaveLength(10);
  for (const { body } of refused)
    expect(body).toMatchObject({ error: "budget_exceeded", hint: expect.any(String) });
  expect(await budgetOf(daemon)).toMatchObject({ spent: 0.3, remaining: 0, held: 0, exceeded: true });
});

test("a model without a price runs, is counted, and warned of once", async () => {
  await using daemon = await pricedDaemon({
    configure: (config) => {
      const lab = { ...config.providers.providers.lab, prices: {} };
      return { ...config, providers: { ...config.providers, providers: { lab } } } as Config;
    },
  });
  await setBudget(daemon, { budget: 0 });
  for (let run = 0; run < 2; run++) expect((await daemon.run("helper", { query: "hi" })).status).toBe(200);
  const budget = await budgetOf(daemon);
  expect(budget).toMatchObject({ spent: 0, unpriced_calls: 2 });
  expect(budget.warning).toContain("2 calls used models without a price");
  expect(daemon.logLines().filter((line) => line.includes("budget.unpriced_model"))).toHaveLength(1);
});

test("a local model is free under any budget", async () => {
  await using daemon = await startDaemon();
  await setBudget(daemon, { budget: 0 });
  expect((await daemon.run("helper", { query: "hi" })).status).toBe(200);
  expect(daemon.models.lab.requests[0]?.body.max_tokens).toBeUndefined();
  expect(await budgetOf(daemon)).toMatchObject({ spent: 0, unpriced_calls: 0 });
});

describe("what is refused", () => {
  test.each([
    ["a negative amount", { budget: -1 }],
    ["a text", { budget: "1" }],
    ["seven decimals", { budget: 0.0000001 }],
    ["more than can be exact", { budget: 9_007_199_255 }],
    ["nothing", {}],
    ["another key", { budget: 1, currency: "EUR" }],
    ["a reset that is none", { budget: 1, reset: "yes" }],
  ])("%s is 400", async (_, body) => {
    await using daemon = await startDaemon();
    expect(await setBudget(daemon, body)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    expect(await budgetOf(daemon)).toMatchObject({ has_budget: false });
  });
  test("NaN is 400, and an unknown agent 404", async () => {
    await using daemon = await startDaemon();
    expect((await setBudget(daemon, '{"budget": NaN}')).status).toBe(400);
    expect((await setBudget(daemon, { budget: 1 }, "helpr")).body).toMatchObject({
      error: "agent_not_found",
      hint: "Did you mean helper?",
    });
    expect((await daemon.call("GET", "/v1/costs/budgets/nobody")).status).toBe(404);
  });
  test("a reset of no budget is 409", async () => {
    await using daemon = await startDaemon();
    expect(await setBudget(daemon, { reset: true })).toMatchObject({
      status: 409,
      body: { error: "no_budget" },
    });
  });
  test("the largest and the smallest amount are kept", async () => {
    await using daemon = await startDaemon();
    for (const budget of [9_007_199_254, 0.000_001, 0]) {
      expect((await setBudget(daemon, { budget })).body).toMatchObject({ budget });
    }
  });
});

test("a budget and what was spent against it outlive the daemon", async () => {
  using folder = temporaryFolder();
  {
    await using daemon = await pricedDaemon({ workspace: folder.path });
    await setBudget(daemon, { budget: 5 });
    await daemon.run("helper", { query: "hi" });
  }
  await using daemon = await pricedDaemon({ workspace: folder.path });
  expect(await budgetOf(daemon)).toMatchObject({ budget: 5, spent: 0.015, held: 0, remaining: 4.985 });
});

test("a run's result has its cost when asked for", async () => {
  await using daemon = await pricedDaemon();
  const run = (query: string) =>
    daemon.call("POST", `/v1/agents/helper/run${query}`, { body: { query: "hi" } });
  const { body } = await run("?cost=true");
  expect(body.cost_usd).toBeGreaterThan(0);
  const { body: traced } = await run("?cost=true&trace=true");
  const spans: { attributes: { cost_usd?: number } }[] = traced.trace.spans;
  expect(traced.cost_usd).toBe(spans.reduce((sum, { attributes }) => sum + (attributes.cost_usd ?? 0), 0));
  expect(Object.keys((await run("")).body)).not.toContain("cost_usd");
  const stream = await fetch(`${daemon.url}/v1/agents/helper/run?cost=true`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream" },
    body: JSON.stringify({ query: "hi" }),
  });
  expect(await stream.text()).toContain(`"cost_usd":${body.cost_usd}`);
});
