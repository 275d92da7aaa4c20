import { describe, expect, test } from "bun:test";
import type { Interceptor } from "../../../src/engine/run-state/interceptor.ts";
import { asks, type StageOptions, stage, told } from "../../support/staged-run.ts";

const notes = { name: "cache_store", type: "builtin", mode: "propose" };
const set = (key: string, value = "v") => ({ name: "cache_store", input: { action: "set", key, value } });

const proposing = (options: StageOptions = {}) =>
  stage({ ...options, spec: { tools: [notes], ...options.spec } });

test("a call is recorded and not carried out, and its result tells the model", async () => {
  const run = proposing({ calls: [asks("", set("door", "4711")), "Proposed."] });
  const { result, events } = await run.run();
  expect(result?.propuestas).toEqual([
    {
      tool: "cache_store",
      tipo: "builtin",
      destino: "door",
      operacion: "set",
      argumentos: { action: "set", key: "door", value: "4711" },
    },
  ]);
  expect(told(run.model).at(-1)).toMatch(/^tool: \{"executed":false,.*was not executed.*proposal/);
  expect(events.find(({ type }) => type === "tool_result")).toMatchObject({
    ok: true,
    output: { data: { executed: false, proposed: true } },
  });
  const reading = stage({
    spec: { tools: [{ ...notes, mode: "execute" }] },
    calls: [asks("", { name: "cache_store", input: { action: "get", key: "door" } }), "ok"],
  });
  expect((await reading.run()).result?.tool_calls).toMatchObject([{ output: { data: { found: false } } }]);
});

test("a tool is named for itself where it can't say what a call would do", async () => {
  const run = stage({
    spec: { tools: [{ name: "datetime_now", type: "builtin", mode: "propose" }] },
    calls: [asks("", "datetime_now"), "ok"],
  });
  const { result } = await run.run();
  expect(result?.propuestas).toMatchObject([
    { destino: "datetime_now", operacion: "execute", argumentos: {} },
  ]);
});

test("an agent with such a tool tells that it proposed nothing; one without tells nothing of it", async () => {
  expect((await proposing().run()).result?.propuestas).toEqual([]);
  expect((await stage().run()).result).not.toHaveProperty("propuestas");
});

test("a interceptor holds no proposal: it is made again, whatever is played", async () => {
  const asksLive = (...given: unknown[]) => {
    const live = given.find((one) => typeof one === "function");
    return live === undefined ? given[1] : live();
  };
  const refuses = () => Promise.reject(new Error("the interceptor was asked"));
  const ofJournals = ["kept", "decision", "once", "limited"];
  const played = (name: string) => (name === "tool" ? refuses : asksLive);
  const get = (_: object, name: string) => (ofJournals.includes(name) ? undefined : played(name));
  const interceptor = new Proxy({}, { get }) as Interceptor;
  const run = proposing({ calls: [asks("", set("door")), "ok"] });
  expect((await run.run({ interceptor })).result?.propuestas).toMatchObject([{ destino: "door" }]);
});

test("an input that the tool refuses does not become a proposal", async () => {
  const run = proposing({
    calls: [asks("", { name: "cache_store", input: { action: "burn", key: "k" } }), "ok"],
  });
  const { result } = await run.run();
  expect(result?.propuestas).toEqual([]);
  expect(result?.tool_calls).toMatchObject([{ output: { success: false } }]);
});

describe("the bounds", () => {
  test("a run proposes twenty calls; the next is refused", async () => {
    const calls = Array.from({ length: 22 }, (_, number) => ({ ...set(`k${number}`), id: `c${number}` }));
    const run = proposing({ calls: [asks("", ...calls), "ok"] });
    const { result } = await run.run();
    expect(result?.propuestas?.map(({ destino }) => destino)).toEqual(
      calls.slice(0, 20).map(({ input }) => input.key),
    );
    expect(result?.tool_calls.slice(20).map(({ output }) => output)).toEqual([
      { success: false, error: expect.stringContaining("a run may propose 20 calls") },
      { success: false, error: expect.stringContaining("a run may propose 20 calls") },
    ]);
  });

  test.each([
    ["16 KiB as JSON", 16 * 1024, true],
    ["a byte more", 16 * 1024 + 1, false],
  ])("arguments of %s", async (_, bytes, isProposed) => {
    const empty = JSON.stringify(set("k", "").input).length;
    // An é is two bytes and one character.
    const value = `é${"x".repeat(bytes - empty - 2)}`;
    const run = proposing({ calls: [asks("", set("k", value)), "ok"] });
    const { result } = await run.run();
    expect(result?.propuestas).toHaveLength(isProposed ? 1 : 0);
    expect(result?.tool_calls).toMatchObject([{ output: { success: isProposed } }]);
  });
});

describe("agents below", () => {
  const agentTool = (name: string) => ({ name, type: "agent", config: { agent: name } });
  const go = (name: string) => ({ name, id: name, input: { query: "go" } });
  const below: StageOptions["agents"] = {
    clerk: { spec: { tools: [notes] }, calls: [asks("", set("c")), "Done.", asks("", set("d")), "Done."] },
    boss: { spec: { tools: [agentTool("clerk")] }, calls: [asks("", go("clerk")), "Boss is done."] },
  };

  test("share the list, and each proposal says who made it", async () => {
    const run = proposing({
      spec: { tools: [notes, agentTool("clerk"), agentTool("boss")] },
      agents: below,
      calls: [asks("", set("own")), asks("", go("boss")), asks("", go("clerk")), "ok"],
    });
    const { result } = await run.run();
    expect(result?.propuestas?.map(({ destino, via }) => [destino, via])).toEqual([
      ["own", undefined],
      ["c", "clerk"],
      ["d", "clerk"],
    ]);
  });

  test("are named themselves where they are members of a swarm below", async () => {
    const run = stage({
      spec: { tools: [agentTool("team")] },
      agents: {
        ...below,
        team: {
          spec: { orchestration: { pattern: "swarm" }, tools: [agentTool("clerk"), notes] },
          calls: [asks("", set("t"), "clerk")],
        },
      },
      calls: [asks("", go("team")), "ok"],
    });
    const { result } = await run.run();
    expect(result?.propuestas?.map(({ destino, via }) => [destino, via])).toEqual([
      ["t", "team"],
      ["c", "clerk"],
    ]);
    expect(result?.tool_calls).toMatchObject([{ output: { data: "Done." } }]);
  });

  test("make the asked agent tell of proposals, although it has no such tool", async () => {
    const run = stage({
      spec: { tools: [agentTool("boss")] },
      agents: below,
      calls: [asks("", go("boss")), "ok"],
    });
    expect((await run.run()).result?.propuestas).toMatchObject([{ destino: "c", via: "clerk" }]);
  });

  test("an agent that is only to be proposed does not run", async () => {
    const run = stage({
      spec: { tools: [{ ...agentTool("boss"), mode: "propose" }] },
      agents: below,
      calls: [asks("", go("boss")), "ok"],
    });
    expect((await run.run()).result?.propuestas).toEqual([
      { tool: "boss", tipo: "agent", destino: "boss", operacion: "run", argumentos: { query: "go" } },
    ]);
    expect(run.modelOf("boss").requests).toEqual([]);
  });

  test("no proposal holds what an output guardrail on its way takes out, or lets one pass that it blocks", async () => {
    const redacting = { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } };
    const mail = { spec: { tools: [notes] }, calls: [asks("", set("to", "ann@example.com")), "ok"] };
    const own = proposing({ ...mail, spec: { ...mail.spec, ...redacting } });
    const nested = stage({
      spec: { tools: [agentTool("clerk")], ...redacting },
      agents: { clerk: mail },
      calls: [asks("", go("clerk")), "ok"],
    });
    for (const run of [own, nested]) {
      const { result } = await run.run();
      expect(result?.propuestas).toMatchObject([{ argumentos: { key: "to", value: "[EMAIL]" } }]);
    }
    const blocking = { guardrails: { output: [{ type: "pii_detection", action: "block" }] } };
    const blocked = stage({
      spec: { tools: [agentTool("clerk")], ...blocking },
      agents: { clerk: mail },
      calls: [asks("", go("clerk")), "ok"],
    });
    const { result } = await blocked.run();
    expect(result?.response).toBe("ok");
    expect(result).not.toHaveProperty("propuestas");
    expect(told(blocked.modelOf("clerk")).at(-1)).toContain("refused by the guardrail pii_detection");
  });
});
