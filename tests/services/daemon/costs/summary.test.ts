import { describe, expect, test } from "bun:test";
import { shippedPrices } from "../../../../src/engine/spending/price-table.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { pricesFileKind } from "../../../../src/manifest/files/prices-file.ts";
import { checkFile } from "../../../../src/manifest/schema/manifest-kind.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { readExposition } from "../../../support/exposition.ts";

/** Three agents: `helper` on a priced model, `local` on a free one and `stray` on one without a known price. */
const threeModels = () =>
  startDaemon({
    models: {
      lab: [{ text: "ok" }],
      own: [{ text: "ok", usage: { input: 100, output: 50 } }],
      odd: [{ text: "ok", usage: null }],
    },
    agents: Object.fromEntries(
      [
        ["helper", "lab"],
        ["local", "own"],
        ["stray", "odd"],
      ].map(([name = "", provider]) => [
        `${name}.agent.yaml`,
        agentFile(name, { model: { primary: { provider, model: "test-model" } } }),
      ]),
    ),
    configure: (config) => {
      const { lab, own, odd } = config.providers.providers;
      if (!lab || !own || !odd) throw new AppError("internal", "internal", "no such provider");
      const providers = {
        lab: { ...lab, type: "openai", prices: { "test-model": { in: 2500, out: 10_000 } } },
        own,
        odd: { ...odd, type: "openai" },
      };
      return { ...config, providers: { ...config.providers, providers } };
    },
  });

const summary = async (daemon: TestDaemon<string>, query = "") =>
  (await daemon.call("GET", `/v1/costs/summary${query}`)).body;

test("before the first call all is nothing", async () => {
  await using daemon = await startDaemon();
  expect(await summary(daemon)).toEqual({
    total_cost: 0,
    total_input_tokens: 0,
    total_output_tokens: 0,
    total_tokens: 0,
    num_calls: 0,
    avg_latency_ms: 0,
    unpriced_calls: 0,
    estimated_calls: 0,
    by_provider: {},
    by_model: {},
    by_agent: {},
    by_source: {},
    counted_from: "2026-01-01T00:00:00.000Z",
  });
});

test("the summary adds up what is priced, counts what is not, and tells it by provider, model and agent", async () => {
  await using daemon = await threeModels();
  for (const agent of ["helper", "helper", "local", "stray"]) await daemon.run(agent, { query: "hi" });
  const all = await summary(daemon);
  expect(all).toMatchObject({ total_cost: 0.00015, num_calls: 4, unpriced_calls: 1, estimated_calls: 1 });
  expect(all.total_tokens).toBe(all.total_input_tokens + all.total_output_tokens);
  expect(all.by_provider.lab).toEqual({
    cost: 0.00015,
    input_tokens: 20,
    output_tokens: 10,
    tokens: 30,
    calls: 2,
    unpriced_calls: 0,
  });
  expect(all.by_provider.own).toMatchObject({ cost: 0, tokens: 150, unpriced_calls: 0 });
  expect(all.by_provider.odd).toMatchObject({ cost: 0, calls: 1, unpriced_calls: 1 });
  expect(all.by_model["test-model"]).toMatchObject({ calls: 4, providers: ["lab", "odd", "own"] });
  expect(Object.keys(all.by_agent)).toEqual(["helper", "local", "stray"]);
  expect(await summary(daemon, "?agent=local")).toMatchObject({ num_calls: 1, total_tokens: 150 });
});

test("records and intervals tell single calls", async () => {
  await using daemon = await threeModels();
  await daemon.run("helper", { query: "hi", session_id: "s1" });
  await daemon.clock.advance(90 * 60_000);
  await daemon.run("stray", { query: "hi" });
  const { body } = await daemon.call("GET", "/v1/costs/records?limit=1");
  expect(body.records).toMatchObject([{ agent_name: "stray", cost_usd: null, estimated: true }]);
  const first = await daemon.call("GET", "/v1/costs/records?agent=helper");
  expect(first.body.records).toEqual([
    {
      agent_name: "helper",
      session_id: "s1",
      provider: "lab",
      model: "test-model",
      source: "production",
      input_tokens: 10,
      output_tokens: 5,
      cached_tokens: 0,
      estimated: false,
      cost_usd: 0.000075,
      latency_ms: 0,
      pattern: "react",
      timestamp: "2026-01-01T00:00:00.000Z",
    },
  ]);

  const hours = await daemon.call("GET", "/v1/costs/history");
  expect(hours.body.intervals.map(({ start, agent }: Record<string, string>) => `${start} ${agent}`)).toEqual(
    ["2026-01-01T00:00:00.000Z helper", "2026-01-01T01:00:00.000Z stray"],
  );
  const day = await daemon.call("GET", "/v1/costs/history?interval=day&agent=helper");
  expect(day.body).toMatchObject({ interval: "day", intervals: [{ cost: 0.000075, calls: 1 }] });
  const away = await daemon.call("GET", "/v1/costs/history?interval=day&time_zone=America/New_York");
  expect(away.body.starts).toEqual(["2025-12-31T05:00:00.000Z"]);
  expect(away.body.intervals).toHaveLength(2);
  const later = await daemon.call("GET", "/v1/costs/history?since=2026-01-01T01:20:00Z");
  expect(later.body.intervals).toHaveLength(1);
});

test("since an instant, which may say its zone", async () => {
  await using daemon = await threeModels();
  await daemon.run("helper", { query: "hi" });
  await daemon.clock.advance(60_000);
  await daemon.run("local", { query: "hi" });
  const since = async (text: string) =>
    (await summary(daemon, `?since=${encodeURIComponent(text)}`)).num_calls;
  expect(await since("2026-01-01")).toBe(2);
  expect(await since("2026-01-01T00:00:30Z")).toBe(1);
  expect(await since("2026-01-01T01:00:30+01:00")).toBe(1);
  expect(await since("2026-01-02")).toBe(0);
});

describe("what is refused", () => {
  test.each([
    ["/v1/costs/summary?since=yesterday", 400, "invalid_request"],
    ["/v1/costs/summary?since=", 400, "invalid_request"],
    ["/v1/costs/summary?since=2026-02-30", 400, "invalid_request"],
    ["/v1/costs/summary?since=2026-01-01T00:00:00+01:00", 400, "invalid_request"],
    ["/v1/costs/summary?agent=nobody", 404, "agent_not_found"],
    ["/v1/costs/records?limit=0", 400, "invalid_request"],
    ["/v1/costs/records?agent=nobody", 404, "agent_not_found"],
    ["/v1/costs/history?interval=week", 400, "invalid_request"],
    ["/v1/costs/history?interval=day&time_zone=Mars/Olympus", 400, "invalid_request"],
    ["/v1/costs/history?time_zone=%2B02:00", 400, "invalid_request"],
    ["/v1/costs", 404, "not_found"],
  ])("%s", async (path, status, code) => {
    await using daemon = await startDaemon();
    expect(await daemon.call("GET", path)).toMatchObject({ status, body: { error: code } });
  });
});

test("costs are counted for Prometheus and REST, what is unpriced only by number", async () => {
  await using daemon = await threeModels();
  for (const agent of ["helper", "local", "stray"]) await daemon.run(agent, { query: "hi" });
  const families = readExposition((await daemon.call("GET", "/metrics")).text);
  const samples = families.get("platform_model_cost_micros_total")?.samples ?? [];
  expect(samples.map(({ labels, value }) => [labels.agent_name, labels.provider, value])).toEqual([
    ["helper", "lab", 75],
    ["local", "own", 0],
  ]);
  const { body } = await daemon.call("GET", "/v1/metrics");
  expect(body.counters).toMatchObject({ "cost.micros": 75, "cost.unpriced_calls": 1 });
});

test("models that callers name themselves are counted without an agent", async () => {
  await using daemon = await threeModels();
  const ask = (model: string) =>
    daemon.call("POST", "/v1/chat/completions", {
      body: { model, messages: [{ role: "user", content: "hi" }] },
    });
  expect((await ask("lab/test-model")).status).toBe(200);
  expect((await ask("agent/helper")).status).toBe(200);
  expect((await summary(daemon)).by_agent).toMatchObject({
    "(none)": { cost: 0.000075, calls: 1 },
    helper: { cost: 0.000075, calls: 1 },
  });
});

test("the table of prices in use is a valid prices.yaml", async () => {
  await using daemon = await startDaemon();
  const { status, text, body } = await daemon.call("GET", "/v1/costs/prices");
  expect(status).toBe(200);
  expect(body).toEqual(shippedPrices);
  expect(checkFile(pricesFileKind, text, () => undefined)).not.toHaveProperty("problems");
});
