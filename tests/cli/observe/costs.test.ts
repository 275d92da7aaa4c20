import { afterEach, describe, expect, setSystemTime, test } from "bun:test";
import type { CostQuery } from "../../../src/contracts/daemon/client.ts";
import type { Budget, BudgetChange, CostSummary } from "../../../src/contracts/daemon/models/costs.ts";
import { daemonParts, notFound, say } from "../recording-shell.ts";

const row = (cost: number, calls: number, unpriced = 0) => ({
  cost,
  input_tokens: 100 * calls,
  output_tokens: 10 * calls,
  tokens: 110 * calls,
  calls,
  unpriced_calls: unpriced,
});

const summary: CostSummary = {
  total_cost: 0.0205,
  total_input_tokens: 700,
  total_output_tokens: 70,
  total_tokens: 770,
  num_calls: 7,
  avg_latency_ms: 12,
  unpriced_calls: 3,
  estimated_calls: 1,
  by_provider: {},
  by_model: {
    llama: { ...row(0, 1), providers: ["local"] },
    "gpt-x": { ...row(0.0205, 4, 1), providers: ["fast", "openai"] },
    custom: { ...row(0, 2, 2), providers: ["fast"] },
  },
  by_agent: {},
  by_source: {},
  counted_from: "2026-01-01T00:00:00.000Z",
};

const budget = (fields: Partial<Budget> = {}): Budget => ({
  agent: "helper",
  has_budget: true,
  budget: 5,
  spent: 1.25,
  held: 0,
  remaining: 3.75,
  exceeded: false,
  unpriced_calls: 0,
  ...fields,
});

afterEach(() => setSystemTime());

describe("costs", () => {
  test("is a table by model, the dearest first, with the total as talk", async () => {
    const said = await say(["costs"], { parts: daemonParts({ costSummary: async () => summary }) });
    expect(said.code).toBe(0);
    expect(said.stdout.split("\n")).toEqual([
      "MODEL   PROVIDER      CALLS  INPUT  OUTPUT  COST",
      "gpt-x   fast, openai  4      400    40      $0.0205 + unknown",
      "llama   local         1      100    10      $0.0000",
      "custom  fast          2      200    20      unknown",
      "",
    ]);
    expect(said.stderr).toBe(
      "$0.0205 + unknown for 7 calls and 770 tokens since 2026-01-01T00:00:00.000Z.\n" +
        "3 calls used models without a price. Set prices in providers.yaml or prices.yaml.\n" +
        "The tokens of 1 call are estimated, because the provider reported none.\n",
    );
  });
  test("is the daemon's answer with --json", async () => {
    const said = await say(["costs", "--json"], { parts: daemonParts({ costSummary: async () => summary }) });
    expect(JSON.parse(said.stdout)).toEqual(summary);
  });
  test("claims no period when no call was counted", async () => {
    const none = { ...summary, num_calls: 0, by_model: {} };
    const said = await say(["costs"], { parts: daemonParts({ costSummary: async () => none }) });
    expect(said).toMatchObject({ code: 0, stdout: "" });
    expect(said.stderr).toBe("No model calls yet.\n");
    const since = await say(["costs", "--agent", "support", "--since", "2026-01-01"], {
      parts: daemonParts({ costSummary: async () => none }),
    });
    expect(since.stderr).toBe("No model calls of support since 2026-01-01T00:00:00.000Z.\n");
  });
  test("passes its filters on, and reads a length of time back from now", async () => {
    const queries: CostQuery[] = [];
    const parts = daemonParts({
      costSummary: async (query = {}) => {
        queries.push(query);
        return summary;
      },
    });
    await say(["costs", "--agent", "helper", "--since", "2026-01-31T12:00+02:00"], { parts });
    setSystemTime(new Date("2026-01-31T12:00:00.000Z"));
    await say(["costs", "--since", "90m"], { parts });
    expect(queries[0]).toEqual({ agent: "helper", since: "2026-01-31T10:00:00.000Z" });
    expect(queries[1]).toEqual({ since: "2026-01-31T10:30:00.000Z" });
  });
  test.each(["yesterday", "0m", "5 minutes", "2026-02-30", ""])("--since %p is a fault", async (since) => {
    const said = await say(["costs", "--since", since], { parts: daemonParts({}) });
    expect(said.code).toBe(2);
    expect(said.stderr).toContain("It must be like 30m, 24h, 7d");
  });
});

describe("costs budget", () => {
  const changes: [string, BudgetChange][] = [];
  const parts = daemonParts({
    getBudget: async (agent) => budget({ agent }),
    setBudget: async (agent, change) => {
      changes.push([agent, change]);
      return budget({ agent, budget: change.budget ?? 5 });
    },
    listBudgets: async () => ({
      budgets: [
        budget(),
        budget({ agent: "spender", exceeded: true, remaining: 0, unpriced_calls: 2, warning: "2 calls …" }),
      ],
    }),
  });

  test("<agent> shows it", async () => {
    const said = await say(["costs", "budget", "helper"], { parts });
    expect(said.stdout.split("\n")).toEqual([
      "agent      helper",
      "budget     $5.00",
      "spent      $1.25",
      "remaining  $3.75",
      "status     within",
      "",
    ]);
  });
  test("<agent> without one says so", async () => {
    const none = budget({ has_budget: false, budget: null, remaining: null });
    const said = await say(["costs", "budget", "helper"], {
      parts: daemonParts({ getBudget: async () => none }),
    });
    expect(said.stdout).toContain(
      "budget  none\nspent   $1.25 since the server started\nstatus  unlimited\n",
    );
  });
  test.each<[string[], BudgetChange]>([
    [["0.25"], { budget: 0.25 }],
    [["$12"], { budget: 12 }],
    [["none"], { budget: null }],
    [["--reset"], { reset: true }],
    [["7", "--reset"], { budget: 7, reset: true }],
  ])("<agent> %j changes it", async (args, change) => {
    changes.length = 0;
    expect((await say(["costs", "budget", "helper", ...args], { parts })).code).toBe(0);
    expect(changes).toEqual([["helper", change]]);
  });
  test("lists all, with what they don't hold", async () => {
    const said = await say(["costs", "budget"], { parts });
    expect(said.stdout.split("\n")).toEqual([
      "AGENT    BUDGET  SPENT  REMAINING  STATUS",
      "helper   $5.00   $1.25  $3.75      within",
      "spender  $5.00   $1.25  $0.00      exceeded",
      "",
    ]);
    expect(said.stderr).toBe("spender: 2 calls …\n");
  });
  test("says what to do where no agent has a budget", async () => {
    const empty = daemonParts({ listBudgets: async () => ({ budgets: [] }) });
    expect((await say(["costs", "budget"], { parts: empty })).stderr).toContain(
      "argosy costs budget <agent> <usd>",
    );
  });
  test.each([["five"], ["-1"], ["1e3"], ["0.0000001"], ["99999999999"]])(
    "<agent> %s is a fault",
    async (amount) => {
      const said = await say(["costs", "budget", "helper", amount], { parts: daemonParts({}) });
      expect(said.code).toBe(2);
    },
  );
  test("takes no filters, and no reset without an agent", async () => {
    for (const args of [
      ["--agent", "x", "budget", "helper"],
      ["budget", "helper", "--since", "1d"],
      ["budget", "--reset"],
    ]) {
      expect((await say(["costs", ...args], { parts: daemonParts({}) })).code).toBe(2);
    }
  });
  test("of an agent that is not there fails with the hint", async () => {
    const missing = daemonParts({ getBudget: () => Promise.reject(notFound) });
    const said = await say(["costs", "budget", "suport"], { parts: missing });
    expect(said.code).toBe(1);
    expect(said.stderr).toContain("Did you mean support?");
  });
});
