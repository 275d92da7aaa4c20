import { describe, expect, test } from "bun:test";
import { bindTools } from "../../../src/engine/tools/bind-tools.ts";
import { createMemoryCache } from "../../../src/engine/tools/tool-cache.ts";
import type { AgentManifest } from "../../../src/manifest/agent/agent.ts";
import type { ToolEntry } from "../../../src/manifest/agent/tools.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { toolPorts } from "../../support/tool-ports.ts";

const clock = new FakeClock();
const templates = {
  compile: () => ({ names: new Set<string>(), render: () => "" }),
  renderUntrusted: async () => "",
  close() {},
};

const builtin = (name: string, more: Record<string, unknown> = {}) =>
  ({
    name,
    type: "builtin",
    permissions: [],
    timeout_seconds: 30,
    requires_approval: false,
    mode: "execute",
    config: {},
    ...more,
  }) as ToolEntry;

const bind = (tools: ToolEntry[], permissions: AgentManifest["spec"]["permissions"] = {}) =>
  bindTools({ tools, permissions }, toolPorts({ templates, cache: createMemoryCache(clock), clock }));

test("an entry binds its tool with its own description and limits", () => {
  const { tools, problems } = bind(
    [
      builtin("datetime_now"),
      builtin("cache_store", {
        description: "Notes.",
        timeout_seconds: 7,
        rate_limit: { max_calls: 1, window_seconds: 60 },
        permissions: ["net"],
      }),
    ],
    { allowed_actions: ["net"] },
  );
  expect(problems).toEqual([]);
  expect(tools.get("datetime_now")).toMatchObject({
    tool: { type: "builtin", description: expect.stringContaining("time") },
    timeoutMs: 30_000,
  });
  expect(tools.get("datetime_now")?.rateLimit).toBeUndefined();
  const cache = tools.get("cache_store");
  expect(cache).toMatchObject({ tool: { description: "Notes." }, timeoutMs: 7000 });
  expect([cache?.rateLimit?.admit("x"), cache?.rateLimit?.admit("x")]).toEqual([undefined, 60_000]);
});

test("an entry with `mode: propose` is bound to propose", () => {
  const { tools } = bind([builtin("cache_store", { mode: "propose" }), builtin("datetime_now")]);
  expect([...tools.values()].map(({ proposes }) => proposes)).toEqual([true, undefined]);
  const note = tools.get("cache_store")?.tool.describeCall?.({ action: "set", key: "door", value: 1 });
  expect(note).toEqual({ target: "door", operation: "set" });
});

test("an entry with `requires_approval` is bound to ask, unless it only proposes, and refused where no one can be asked", () => {
  const entries = [
    builtin("cache_store", { requires_approval: true }),
    builtin("json_transform", { requires_approval: true, mode: "propose" }),
    builtin("datetime_now"),
  ];
  const asks = [...bind(entries).tools.values()].map(({ requiresApproval }) => requiresApproval);
  expect(asks).toEqual([true, undefined, undefined]);
  const ports = toolPorts({ templates, cache: createMemoryCache(clock), clock });
  const refused = bindTools(
    { tools: entries, permissions: {} },
    { ...ports, approvalsRefused: "needs keys" },
  );
  expect(refused.problems).toEqual([{ path: "spec.tools[0].requires_approval", message: "needs keys" }]);
});

test("all errors of an entry are reported at once", () => {
  const entry = builtin("cache_store", {
    permissions: ["disk"],
    parameters: { type: "object" },
    config: { size: 1 },
  });
  const { problems } = bind([entry], { allowed_actions: [] });
  expect(problems.map(({ path }) => path)).toEqual([
    "spec.tools[0].permissions",
    "spec.tools[0].parameters",
    "spec.tools[0].config.size",
  ]);
});

describe("what can't be honoured is a problem that names it", () => {
  const cases: [entry: ToolEntry, path: string, message: string][] = [
    [builtin("datetime_noww"), "name", "did you mean datetime_now?"],
    [builtin("quantum_leap"), "name", "there are datetime_now, json_transform, cache_store"],
    [
      builtin("x", { type: "nothing" }),
      "type",
      "nothing is not available in this version; there is builtin, internal, agent, webhook",
    ],
    [builtin("cache_store", { parameters: { type: "object" } }), "parameters", "can't be changed"],
    [builtin("cache_store", { permissions: ["disk"] }), "permissions", "disk is not among"],
    [builtin("cache_store", { config: { size: 1 } }), "config.size", "Unexpected property"],
  ];
  for (const [entry, path, message] of cases) {
    test(`${path}: ${message}`, () => {
      const { tools, problems } = bind([builtin("datetime_now"), entry], { allowed_actions: ["net"] });
      expect([...tools.keys()]).toEqual(["datetime_now"]);
      expect(problems).toEqual([
        { path: `spec.tools[1].${path}`, message: expect.stringContaining(message) },
      ]);
    });
  }

  test("the same tool twice", () => {
    expect(bind([builtin("cache_store"), builtin("cache_store")]).problems).toMatchObject([
      { path: "spec.tools[1].name" },
    ]);
  });
});

describe("the schemas of one agent", () => {
  const client = (index: number, properties: object) =>
    ({
      name: `tool_${index}`,
      type: "client",
      permissions: [],
      mode: "execute",
      requires_approval: false,
      config: {},
      parameters: { type: "object", properties },
    }) as unknown as ToolEntry;
  const fields = (count: number, schema: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, schema]));

  test("may be many, and none is compiled before it is needed", () => {
    const tools = Array.from({ length: 128 }, (_, index) => client(index, fields(20, { type: "string" })));
    expect(bind(tools).problems).toEqual([]);
  });

  test("are refused when they are too many together", () => {
    const tools = Array.from({ length: 128 }, (_, index) => client(index, fields(299, { type: "string" })));
    const { problems } = bind(tools);
    // Ten times 300 fit; the rest is not checked.
    expect(problems[0]).toEqual({
      path: "spec.tools[10].parameters",
      message: "is one schema too many: all schemas of an agent may consist of 3000 together",
    });
  });

  test("are refused when their patterns are too large together", () => {
    const tools = Array.from({ length: 128 }, (_, index) =>
      client(index, fields(5, { type: "string", pattern: "a{1000}" })),
    );
    const { problems } = bind(tools);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toStartWith("spec.tools[3].parameters.properties.field");
    expect(problems[0]?.message).toBe("is one pattern too many: all of an agent together are too large");
  });
});
