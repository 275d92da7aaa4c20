import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";

let daemon: TestDaemon;

beforeAll(async () => {
  const ask = { tools: [{ name: "ask_clock", type: "agent", config: { agent: "clock" } }] };
  daemon = await startDaemon({
    agents: {
      "clock.agent.yaml": agentFile("clock", { observability: { record: true } }),
      "desk.agent.yaml": agentFile("desk", ask),
    },
    models: {
      lab: ({ body: { messages } }) =>
        messages.at(-1)?.content === "Ask the clock"
          ? { toolCalls: [{ name: "ask_clock", arguments: { query: "When?" } }] }
          : { text: "It is noon." },
    },
  });
  for (const source of [undefined, "production", "playground", "eval"])
    expect((await daemon.run("clock", { query: "When?", ...(source && { source }) })).status).toBe(200);
  // Statistics end before the present instant.
  await daemon.clock.advance(1000);
});
afterAll(() => daemon[Symbol.asyncDispose]());

const traces = async (query: string): Promise<string[]> =>
  (await daemon.call("GET", `/v1/traces?${query}`)).body.traces.map(
    ({ summary }: { summary: { source: string } }) => summary.source,
  );

describe("the source of a run", () => {
  test.each([
    ["", ["eval", "playground", "production", "production"]],
    ["source=all", ["eval", "playground", "production", "production"]],
    ["source=traffic", ["production", "production"]],
    ["source=production", ["production", "production"]],
    ["source=playground", ["playground"]],
    ["source=eval", ["eval"]],
    ["source=trigger", []],
    ["source=eval&search=when", ["eval"]],
  ])("lists traces by %p, in memory and on disk", async (query, sources) => {
    const asked = `agent=clock&${query}`;
    expect(await traces(asked)).toEqual(sources);
    await daemon.call("GET", "/v1/stats/runs");
    expect(await traces(asked)).toEqual(sources);
  });

  test.each([
    ["", 2],
    ["source=traffic", 2],
    ["source=all", 4],
    ["source=eval", 1],
    ["source=trigger", 0],
    ["group_by=source", 4],
    ["group_by=source&source=traffic", 2],
  ])("counts runs in statistics by %p", async (query, runs) => {
    const { body } = await daemon.call("GET", `/v1/stats/runs?agent=clock&${query}`);
    expect(body.total.runs).toBe(runs);
  });

  test("groups statistics, so that tests are seen beside the traffic", async () => {
    const { body } = await daemon.call("GET", "/v1/stats/runs?agent=clock&group_by=source");
    expect(
      body.groups.map(({ key, total }: { key: string; total: { runs: number } }) => [key, total.runs]),
    ).toEqual([
      ["production", 2],
      ["eval", 1],
      ["playground", 1],
    ]);
  });

  test.each([
    ["", 2],
    ["source=all", 4],
    ["source=playground", 1],
    ["since=2020-01-01", 2],
    ["since=2020-01-01&source=eval", 1],
  ])("counts costs by %p, and always tells the cost of each source", async (query, calls) => {
    const { body } = await daemon.call("GET", `/v1/costs/summary?agent=clock&${query}`);
    expect(body.num_calls).toBe(calls);
    const bySource = Object.entries<{ calls: number }>(body.by_source).map(([source, total]) => [
      source,
      total.calls,
    ]);
    expect(bySource.sort()).toEqual([
      ["eval", 1],
      ["playground", 1],
      ["production", 2],
    ]);
    const history = await daemon.call("GET", `/v1/costs/history?agent=clock&${query}`);
    const counted = history.body.intervals.map(({ calls: some }: { calls: number }) => some);
    expect(counted.reduce((sum: number, some: number) => sum + some, 0)).toBe(calls);
  });

  test("single calls have it, and all are listed unless one is chosen", async () => {
    const sourcesOf = async (query: string) =>
      (await daemon.call("GET", `/v1/costs/records?agent=clock&${query}`)).body.records.map(
        ({ source }: { source: string }) => source,
      );
    expect(await sourcesOf("")).toEqual(["eval", "playground", "production", "production"]);
    expect(await sourcesOf("source=traffic")).toEqual(["production", "production"]);
  });

  test("is that of the whole run, also for agents that work in it", async () => {
    await daemon.run("desk", { query: "Ask the clock", source: "eval" });
    const { body } = await daemon.call("GET", "/v1/costs/records?source=eval");
    const callers = body.records.map(({ agent_name }: { agent_name: string }) => agent_name);
    expect(callers.sort()).toEqual(["clock", "clock", "desk", "desk"]);
    expect((await daemon.call("GET", "/v1/costs/summary?agent=desk")).body.num_calls).toBe(0);
    const { body: clock } = await daemon.call("GET", "/v1/costs/summary?agent=clock");
    expect(clock.num_calls).toBe(2);
  });

  test.each([
    ["POST", "/v1/agents/clock/run", { query: "When?", source: "trigger" }],
    ["POST", "/v1/agents/clock/run", { query: "When?", source: "all" }],
    ["POST", "/v1/agents/clock/run", { query: "When?", source: "" }],
    ["GET", "/v1/traces?source=tests", undefined],
    ["GET", "/v1/stats/runs?source=", undefined],
    ["GET", "/v1/costs/summary?source=Eval", undefined],
    ["GET", "/v1/costs/history?source=none", undefined],
    ["GET", "/v1/costs/records?source=none", undefined],
  ])("%s %s with a source that there is not is 400", async (method, path, body) => {
    const answer = await daemon.call(method, path, body && { body });
    expect(answer).toMatchObject({ status: 400, body: { error: "invalid_request" } });
  });
});
