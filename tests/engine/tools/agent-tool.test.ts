import { describe, expect, test } from "bun:test";
import { createTemplateCompiler } from "../../../src/engine/templates/template-compiler.ts";
import { bindTools } from "../../../src/engine/tools/bind-tools.ts";
import { executeTool } from "../../../src/engine/tools/execute-tool.ts";
import type { SubAgentRequest, ToolContext } from "../../../src/engine/tools/tool.ts";
import { createMemoryCache } from "../../../src/engine/tools/tool-cache.ts";
import type { ToolEntry } from "../../../src/manifest/agent/tools.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { toolContext } from "../../support/tool-context.ts";
import { toolPorts } from "../../support/tool-ports.ts";

const clock = new FakeClock();
const templates = {
  compile: createTemplateCompiler().compile,
  renderUntrusted: async () => "",
  close() {},
};
const ports = toolPorts({ templates, cache: createMemoryCache(clock), clock });

const entry = (more: Record<string, unknown> = {}, config: Record<string, unknown> = {}) =>
  ({
    name: "desk",
    type: "agent",
    permissions: [],
    requires_approval: false,
    mode: "execute",
    config: { agent: "billing", ...config },
    ...more,
  }) as ToolEntry;

function bind(tool: ToolEntry, library: Record<string, string> = {}) {
  const { tools, problems } = bindTools(
    { tools: [tool], permissions: {}, prompts: { templates: library } },
    ports,
  );
  const [bound] = tools.values();
  return { bound, problems };
}

/** Returns the request to the other agent for this tool input. */
async function asked(tool: ToolEntry, input: Record<string, unknown>, context: Partial<ToolContext> = {}) {
  const requests: SubAgentRequest[] = [];
  const { bound, problems } = bind(tool, { tone: "Be kind." });
  if (bound === undefined) throw new Error(JSON.stringify(problems));
  const result = await executeTool(
    bound,
    input,
    toolContext({
      ...context,
      async runAgent(request) {
        requests.push(request);
        return { success: true, data: "ok" };
      },
    }),
  );
  return { result, request: requests[0] };
}

test("is called with a query, and says whom it asks", () => {
  const { bound } = bind(entry());
  expect(bound).toMatchObject({
    tool: {
      name: "desk",
      type: "agent",
      description: "Asks the agent billing and returns its answer.",
      parameters: { type: "object", required: ["query"], properties: { query: { type: "string" } } },
    },
    worker: "billing",
  });
  expect(bind(entry({ description: "Invoices." })).bound?.tool.description).toBe("Invoices.");
  expect(bound?.tool.describeCall?.({})).toEqual({ target: "billing", operation: "run" });
});

describe("what the other agent is asked", () => {
  const parameters = { type: "object", properties: { city: { type: "string" }, query: {} } };
  const said = { query: "Why so much?", context: { customer: { name: "Ann" }, _key: "k" } };
  const cases: [what: string, tool: ToolEntry, input: Record<string, unknown>, query: string][] = [
    ["the query", entry(), { query: "How much?" }, "How much?"],
    ["the query among own parameters", entry({ parameters }), { city: "Lima", query: "How?" }, "How?"],
    ["the input as JSON", entry({ parameters }), { city: "Lima" }, '{"city":"Lima"}'],
    ["the input as JSON where query is not text", entry({ parameters }), { query: 7 }, '{"query":7}'],
    [
      "what the template says",
      entry({}, { context_transform: "Bill: {{ query }}" }),
      { query: "x" },
      "Bill: x",
    ],
    [
      "what the template makes of the input",
      entry({ parameters }, { context_transform: "{{ city }} {{ input | tojson }}" }),
      { city: "Lima" },
      'Lima {"city": "Lima"}',
    ],
    [
      "what the template knows of the run",
      entry(
        { parameters },
        {
          context_transform:
            "{{ user_query }} {{ session_id }} {{ agent_name }} {{ context.customer.name }}{{ context._key }}",
        },
      ),
      { city: "Lima", session_id: "forged", user_query: "forged", context: "forged" },
      "Why so much? s a Ann",
    ],
    [
      "what the template includes",
      entry({}, { context_transform: "{% include 'tone' %} {{ query }}" }),
      { query: "x" },
      "Be kind. x",
    ],
    [
      "no template of the model's",
      entry({}, { context_transform: "{{ query }}" }),
      { query: "{{ session_id }}" },
      "{{ session_id }}",
    ],
  ];
  test.each(cases)("is %s", async (_, tool, input, query) => {
    const { request, result } = await asked(tool, input, { asked: said });
    expect({ result, agent: request?.agent, query: request?.query }).toEqual({
      result: { success: true, data: "ok" },
      agent: "billing",
      query,
    });
  });

  test("is empty outside of a run with a question", async () => {
    const tool = entry({}, { context_transform: "{{ user_query }}{{ context.a }}{{ query }}" });
    expect((await asked(tool, { query: "x" })).request?.query).toBe("x");
  });

  test.each([
    ["an empty query", entry(), { query: "" }, /query: Expected string length/],
    ["no query", entry(), {}, /query is required/],
    ["a field that is not known", entry(), { query: "x", extra: 1 }, /extra is not known/],
    [
      "a template without a text",
      entry({}, { context_transform: " {{ nothing }} " }),
      { query: "x" },
      /empty question/,
    ],
    ["blanks", entry(), { query: "  " }, /empty question/],
    [
      "a template that fails",
      entry({}, { context_transform: "{% for n in range(99999999) %}{% endfor %}" }),
      { query: "x" },
      /config\.context_transform/,
    ],
    [
      "what its own parameters refuse",
      entry({ parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] } }),
      { city: 5 },
      /city must be a string/,
    ],
  ])("is not asked with %s", async (_, tool, input, error) => {
    const { request, result } = await asked(tool, input);
    expect(request).toBeUndefined();
    expect(result).toEqual({ success: false, error: expect.stringMatching(error) });
  });
});

test("the other agent's context is the caller's, and what the model sends beside the query", async () => {
  const parameters = { type: "object" };
  const { request } = await asked(
    entry({ parameters }),
    { query: "x", city: "Lima", plan: "forged", _secret: 1 },
    { asked: { query: "hi", context: { plan: "gold" } } },
  );
  expect(request?.context).toEqual({ city: "Lima", plan: "gold" });
});

test("its time is the other agent's deadline; without one, only that agent's own counts", async () => {
  expect((await asked(entry({ timeout_seconds: 7 }), { query: "x" })).request?.timeoutMs).toBe(7000);
  expect((await asked(entry(), { query: "x" })).request).not.toHaveProperty("timeoutMs");
});

test("rate limit and mode are those of its entry", async () => {
  const { bound } = bind(entry({ mode: "propose", rate_limit: { max_calls: 1, window_seconds: 60 } }));
  if (bound === undefined) throw new Error("not bound");
  const proposed: unknown[] = [];
  const context = toolContext({ propose: async (call) => void proposed.push(call) });
  expect(await executeTool(bound, { query: "x" }, context)).toMatchObject({ data: { executed: false } });
  expect(await executeTool(bound, { query: "y" }, context)).toMatchObject({
    error: expect.stringContaining("too often"),
  });
  expect(proposed).toEqual([
    { tool: "desk", type: "agent", target: "billing", operation: "run", input: { query: "x" } },
  ]);
});

test.each([
  [
    "a template that can't be read",
    entry({}, { context_transform: "Hi {{ query" }),
    "config.context_transform",
  ],
  [
    "parameters that are not a schema",
    entry({ parameters: { type: "object", properties: 5 } }),
    "parameters.properties",
  ],
  ["an action that is not allowed", entry({ permissions: ["pay"] }), "permissions"],
])("%s is a problem at its place", (_, tool, key) => {
  const { tools, problems } = bindTools({ tools: [tool], permissions: { allowed_actions: ["read"] } }, ports);
  expect([...tools.keys()]).toEqual([]);
  expect(problems).toMatchObject([{ path: `spec.tools[0].${key}` }]);
});
