import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { ModelStep } from "../../../support/model-server.ts";
import { startTenantRuntime, type TenantRuntime } from "../../../support/tenant-runtime.ts";

/*
 * What has left a run that the service's own fault ended: each model's answer is named by the model, and `down` breaks off.
 */

let runtime: TenantRuntime;
beforeAll(async () => {
  runtime = await startTenantRuntime({ script: ({ body }) => answerOf(body.model, body.messages) });
});
afterAll(() => runtime[Symbol.asyncDispose]());

const hasResults = (messages: readonly { role: string }[]) => messages.some(({ role }) => role === "tool");
const calls = (name: string) => ({
  toolCalls: [{ name, arguments: name === "helper" ? { query: "hi" } : {} }],
});

function answerOf(model: string, messages: readonly { role: string }[]): ModelStep {
  // Each caller has a circuit of its own, so every case is another tenant's.
  if (model === "down") return { status: 500, body: '{"error":{"message":"broken"}}' };
  if (model === "plans") return { text: '["a", "b"]' };
  if (model === "looks" && !hasResults(messages)) return calls("datetime_now");
  if (model === "acts" && !hasResults(messages)) return calls("act");
  if (model === "asks" && !hasResults(messages)) return calls("helper");
  // After its tools it has nothing left to say.
  if (model === "acts-down" || model === "looks-down" || model === "asks-down")
    return hasResults(messages)
      ? { status: 500, body: '{"error":{"message":"broken"}}' }
      : answerOf(model.replace("-down", ""), messages);
  return { text: "Did it." };
}

const model = (name: string) => ({ primary: { provider: "lab", model: name } });
const act = {
  name: "act",
  type: "webhook",
  description: "Acts.",
  parameters: { type: "object", properties: {} },
  config: { url: "https://example.invalid/" },
};
const look = { name: "datetime_now", type: "builtin" };
const helper = { name: "helper", type: "agent", config: { agent: "helper" } };

interface Case {
  pattern: string;
  main: string;
  roles?: Record<string, string>;
  /** Whether something beside the frames has left. */
  left: boolean;
}
const planned = (worker: string) => ({ planner: "plans", worker, synthesizer: "down" });
const cases: [title: string, run: Case][] = [
  ["before any answer", { pattern: "react", main: "down", left: false }],
  ["after a call that only reads", { pattern: "react", main: "looks-down", left: false }],
  ["after a call with effects", { pattern: "react", main: "acts-down", left: true }],
  ["after an agent's answer", { pattern: "react", main: "asks-down", left: true }],
  ...["plan_and_execute", "parallel_fan_out"].flatMap((pattern): typeof cases => [
    ["while it plans", { pattern, main: "x", roles: { planner: "down" }, left: false }],
    ["after work in text", { pattern, main: "x", roles: planned("x"), left: false }],
    ["after work by tools", { pattern, main: "x", roles: planned("acts"), left: true }],
    ["after work that only reads", { pattern, main: "x", roles: planned("looks"), left: false }],
    ["after work of an agent", { pattern, main: "x", roles: planned("asks"), left: true }],
  ]),
  [
    "in the last stage",
    { pattern: "pipeline", main: "x", roles: { "stage:synthesize": "down" }, left: false },
  ],
  [
    "in the last stage, after a call with effects",
    {
      pattern: "pipeline",
      main: "x",
      roles: { "stage:analyze": "acts", "stage:synthesize": "down" },
      left: true,
    },
  ],
  ["after a worker's answer", { pattern: "supervisor", main: "asks-down", left: true }],
  ["before a worker's answer", { pattern: "supervisor", main: "down", left: false }],
  ["after a call with effects", { pattern: "swarm", main: "acts-down", left: true }],
];

let tenants = 0;
describe.each([true, false])("streamed: %p", (stream) => {
  test.each(cases.map(([title, run]) => [run.pattern, title, run] as const))(
    "%s that fails %s says what has left it",
    async (_, __, { pattern, main, roles = {}, left }) => {
      const tenant = `019a0000-0000-7000-8000-${String(++tenants).padStart(12, "0")}`;
      await runtime.register({ model: model("x") }, { tenant, name: "helper", id: "h" });
      const name = await runtime.register(
        {
          model: {
            ...model(main),
            roles: Object.fromEntries(
              Object.entries(roles).map(([role, of]) => [role, { candidates: [model(of).primary] }]),
            ),
          },
          orchestration: { pattern },
          tools: [act, look, ...(pattern === "swarm" ? [] : [helper])],
        },
        { tenant, name: "tried", id: "t" },
      );
      const { ended } = await runtime.run(name, { stream });
      expect(ended).toMatchObject({
        outcome: "error",
        error: { code: "no_provider_available", fault: "service" },
      });
      expect(ended.left ?? false).toBe(left);
    },
  );
});

test("a run that only the tenant's own circuit stops is the tenant's doing; one that a circuit of all stops is not", async () => {
  await using runtime = await startTenantRuntime({
    script: ({ body }) =>
      body.model === "down" ? { status: 500, body: "{}" } : answerOf(body.model, body.messages),
  });
  const faultsOf = async (tenant: string, runs: number) => {
    const name = await runtime.register({ model: model("down") }, { tenant });
    const faults: unknown[] = [];
    for (let run = 0; run < runs; run++) faults.push((await runtime.run(name)).ended.error?.fault);
    return faults;
  };
  const [service, caller] = ["service", "caller"];
  const tenantOf = (last: string) => `019a0000-0000-7000-8000-0000000000f${last}`;
  expect(await faultsOf(tenantOf("1"), 5)).toEqual([service, service, service, caller, caller]);
  // A second tenant sees the same, so the provider is down for all.
  expect(await faultsOf(tenantOf("2"), 1)).toEqual([service]);
  expect(await faultsOf(tenantOf("3"), 1)).toEqual([service]);
});
