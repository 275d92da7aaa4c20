import { describe, expect, test } from "bun:test";
import { AppError } from "../../src/kit/app-error.ts";
import { agentKind } from "../../src/manifest/agent/agent-kind.ts";
import type { Path } from "../../src/manifest/fault.ts";
import { checkFile } from "../../src/manifest/schema/manifest-kind.ts";
import { parseAgent, parseAgentFile } from "../support/parse-agent.ts";
import { agentWith, problemsIn } from "./agent-text.ts";

const spec = (...rest: Path): Path => ["spec", ...rest];
const primary = (...rest: Path): Path => spec("model", "primary", ...rest);

describe("one fault is one problem, in plain words", () => {
  test.each<[string, Path, string, string]>([
    // metadata
    ["metadata.name", ["metadata", "name"], "By-Id!", "must be 1 to 63 lower-case letters"],
    ["metadata.name", ["metadata", "name"], "by-id", "`by-id` is reserved"],
    ["metadata.name", ["metadata", "name"], "../../etc", "must be 1 to 63"],
    ["metadata.name", ["metadata", "name"], "-a", "must be 1 to 63"],
    ["metadata.name", ["metadata", "name"], "a".repeat(64), "must be 1 to 63"],
    ["metadata.name", ["metadata", "name"], "123", "put it in quotes to make it text"],
    ["metadata.name", ["metadata", "name"], "", "must be 1 to 63"],
    ["metadata.version", ["metadata", "version"], "1.0", "put it in quotes"],
    ["metadata.version", ["metadata", "version"], "'1.0'", "must be a semantic version such as 1.2.0"],
    ["metadata.version", ["metadata", "version"], "v1.0.0", "must be a semantic version"],
    [
      "metadata.labels.a",
      ["metadata", "labels"],
      "{a: 1}",
      "must be text of at most 255 characters, got 1; put it in quotes",
    ],
    ["metadata.labels", ["metadata", "labels"], "[a]", "must be a mapping"],
    ["apiVersion", ["apiVersion"], "platform/v2", "must be `platform/v1`"],
    ["kind", ["kind"], "Agnet", "must be `Agent`"],
    // keys
    ["extra", ["extra"], "1", "is not a known key"],
    ["spec.orchestation", spec("orchestation"), "{}", "is not a known key; did you mean `orchestration`?"],
    [
      "spec.orchestration.max_iteration",
      spec("orchestration", "max_iteration"),
      "5",
      "did you mean `max_iterations`?",
    ],
    ["spec.orchestration.timout", spec("orchestration", "timout"), "5", "did you mean `timeout`?"],
    ["spec.model.primary.constructor", primary("constructor"), "{}", "is not a known key"],
    // model
    ["spec.model.primary.model", primary("model"), "''", "must be text of 1 to 255 characters"],
    [
      "spec.model.primary.endpoint",
      primary("endpoint"),
      "localhost:11434",
      "must be an address that starts with http",
    ],
    ["spec.model.primary.endpoint", primary("endpoint"), "'file:///etc/passwd'", "must be an address"],
    [
      "spec.model.primary.api_key_env",
      primary("api_key_env"),
      "sk-123",
      "must be the name of an environment variable",
    ],
    ["spec.model.primary.api_key", primary("api_key"), "sk-123", "did you mean `api_key_env`?"],
    [
      "spec.model.primary.parameters.temperature",
      primary("parameters"),
      "{temperature: 2.1}",
      "must be a number between 0 and 2",
    ],
    [
      "spec.model.primary.parameters.temperature",
      primary("parameters"),
      "{temperature: '0.7'}",
      "must be a number between 0 and 2",
    ],
    [
      "spec.model.primary.parameters.max_tokens",
      primary("parameters"),
      "{max_tokens: 1.5}",
      "must be a whole number between 1 and",
    ],
    ["spec.model.primary.parameters.stop", primary("parameters"), "{stop: x}", "must be a list"],
    [
      "spec.model.fallback.model",
      spec("model", "fallback"),
      "{provider: openai}",
      "is required: text of 1 to 255 characters",
    ],
    [
      "spec.model.routing.strategy",
      spec("model", "routing"),
      "{strategy: cheapest}",
      "must be one of `quality_first`, `cost_optimized`",
    ],
    [
      "spec.model.routing.strategy",
      spec("model", "routing"),
      "{strategy: round-robin}",
      "did you mean `round_robin`?",
    ],
    [
      "spec.model.roles.boss",
      spec("model", "roles"),
      "{boss: {candidates: []}}",
      "is not a possible key: it must be `planner`",
    ],
    [
      "spec.model.roles.planner.candidates",
      spec("model", "roles"),
      "{planner: {candidates: []}}",
      "must have 1 or more entries",
    ],
    [
      "spec.model.roles.stage:x",
      spec("model", "roles"),
      "{'stage:x': {candidates: [{provider: a, model: b}]}}",
      "is not a stage of this agent: analyze, process",
    ],
    // orchestration
    ["spec.orchestration.pattern", spec("orchestration"), "{pattern: reakt}", "did you mean `react`?"],
    [
      "spec.orchestration.max_iterations",
      spec("orchestration"),
      "{max_iterations: 1e9}",
      "must be a whole number between 1 and 1000",
    ],
    [
      "spec.orchestration.timeout",
      spec("orchestration"),
      "{timeout: 0}",
      "must be a whole number between 1 and 3600",
    ],
    [
      "spec.orchestration.timeout",
      spec("orchestration"),
      "{timeout_seconds: 5, timeout: 6}",
      "is another spelling of a key that is given as well; keep `timeout_seconds`",
    ],
    [
      "spec.orchestration.max_run_tokens",
      spec("orchestration"),
      "{max_run_tokens: 0}",
      "must be a whole number between 1 and 1000000000 or null",
    ],
    ["spec.orchestration", spec("orchestration"), "~", "must be a mapping"],
    [
      "spec.orchestration.workers",
      spec("orchestration"),
      "{workers: []}",
      "the pattern react has no workers",
    ],
    [
      "spec.orchestration.workers[0]",
      spec("orchestration"),
      "{pattern: swarm, workers: [a]}",
      "is not the name of a tool of type agent: a",
    ],
    [
      "spec.orchestration.stages",
      spec("orchestration"),
      "{stages: [{name: a, prompt: x}]}",
      "the pattern react has no stages",
    ],
    [
      "spec.orchestration.stages[1].name",
      spec("orchestration"),
      "{pattern: pipeline, stages: [{name: a, prompt: x}, {name: a, prompt: y}]}",
      "is given twice: a",
    ],
    // tools
    [
      "spec.tools[0].type",
      spec("tools"),
      "[{name: a}]",
      "is required: one of `builtin`, `internal`, `webhook`, `mcp`, `rag`, `agent`, `client`",
    ],
    ["spec.tools[0].type", spec("tools"), "[{name: a, type: bultin}]", "must be one of `builtin`"],
    ["spec.tools[0].type", spec("tools"), "[{name: a, type: bultin}]", "did you mean `builtin`?"],
    ["spec.tools[0].name", spec("tools"), "[{name: a b, type: builtin}]", "must be 1 to 64 letters"],
    [
      "spec.tools[0].config.urll",
      spec("tools"),
      "[{name: a, type: webhook, parameters: {type: object}, config: {url: 'http://a', urll: x}}]",
      "did you mean `url`?",
    ],
    ["spec.tools[0].parameters", spec("tools"), "[{name: a, type: client}]", "is required: a mapping"],
    [
      "spec.tools[0].parameters",
      spec("tools"),
      "[{name: a, type: client, parameters: {type: string}}]",
      "must be a JSON Schema with `type: object`",
    ],
    ["spec.tools[0].config", spec("tools"), "[{name: a, type: rag}]", "is required: a mapping"],
    [
      "spec.tools[0].config.command",
      spec("tools"),
      "[{name: a, type: mcp, config: {transport: stdio}}]",
      "is required for the transport stdio",
    ],
    [
      "spec.tools[0].config.url",
      spec("tools"),
      "[{name: a, type: mcp, config: {transport: sse}}]",
      "is required for the transport sse",
    ],
    [
      "spec.tools[0].config.agent",
      spec("tools"),
      "[{name: a, type: agent, config: {agent: sample}}]",
      "is this agent itself",
    ],
    [
      "spec.tools[1].name",
      spec("tools"),
      "[{name: a, type: builtin}, {name: a, type: internal}]",
      "is given twice: a",
    ],
    ["spec.tools[0]", spec("tools"), "[datetime_now]", "must be a mapping"],
    ["spec.tools", spec("tools"), "{a: 1}", "must be a list"],
    [
      "spec.tools[0].mode",
      spec("tools"),
      "[{name: a, type: builtin, mode: dry}]",
      "must be one of `execute`, `propose`",
    ],
    // memory, guardrails, chain
    [
      "spec.memory.conversational.backend",
      spec("memory"),
      "{conversational: {backend: mysql}}",
      "must be one of `sqlite`, `postgres`, `redis`",
    ],
    [
      "spec.memory.conversational.connection.url",
      spec("memory"),
      "{conversational: {connection: {url: a b}}}",
      "must be an address such as redis://host:6379, or a file such as sqlite:memory/chats.db",
    ],
    [
      "spec.memory.conversational.max_messages",
      spec("memory"),
      "{conversational: {max_messages: 0}}",
      "must be a whole number between 1 and",
    ],
    ["spec.guardrails.input[0].type", spec("guardrails"), "{input: [{action: block}]}", "is required"],
    [
      "spec.guardrails.input[0].action",
      spec("guardrails"),
      "{input: [{type: pii_detection, action: redcat}]}",
      "did you mean `redact`?",
    ],
    [
      "spec.chain.on_complete[1].default",
      spec("chain"),
      "{on_complete: [{agent: a, default: true}, {agent: b, default: true}]}",
      "stands on more than one link",
    ],
    [
      "spec.chain.on_complete[0].default",
      spec("chain"),
      "{on_complete: [{agent: a, default: true, when: x}]}",
      "can't stand beside `when`",
    ],
    [
      "spec.observability.sample_rate",
      spec("observability"),
      "{sample_rate: 1.1}",
      "must be a number between 0 and 1",
    ],
    ["spec.observability.tracing", spec("observability"), "{tracing: yes}", "must be true or false"],
  ])("%s (%j: %s)", (path, place, value, words) => {
    const problems = problemsIn(agentWith(place, value));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.path).toBe(path);
    expect(problems[0]?.message).toContain(words);
  });
});

test("permissions of a tool must be among the agent's", () => {
  const text = `
apiVersion: platform/v1
kind: Agent
metadata: {name: a}
spec:
  permissions: {allowed_actions: [net]}
  tools:
    - {name: t, type: builtin, permissions: [net, disk]}
`;
  expect(problemsIn(text)).toEqual([
    {
      path: "spec.tools[0].permissions[1]",
      message: "is not among spec.permissions.allowed_actions: disk",
      line: 8,
      column: 51,
    },
  ]);
});

test("problems come in the document's order, with their places", () => {
  const text = `kind: Agent
metadata:
  nam: a
spec:
  tools:
    - type: builtin
      nmae: x
  orchestration:
    max_iterations: many
    pattern: react
  memory: \${MEMORY}
`;
  const found = problemsIn(text).map(({ path, line, column }) => [path, line, column]);
  expect(found).toEqual([
    ["apiVersion", 1, 1],
    ["metadata.name", 2, 1],
    ["metadata.nam", 3, 3],
    ["spec.tools[0].name", 6, 7],
    ["spec.tools[0].nmae", 7, 7],
    ["spec.orchestration.max_iterations", 9, 21],
    ["spec.memory", 11, 11],
  ]);
});

test("the message names file, line and column of the first problem", () => {
  const text = agentWith(["spec", "orchestration"], "{max_iterations: 0}");
  const parse = () =>
    parseAgentFile(text, { file: "agents/a.agent.yaml", variables: () => undefined, registries: {} });
  expect(parse).toThrow(
    "agents/a.agent.yaml:10:35: spec.orchestration.max_iterations must be a whole number between 1 and 1000",
  );
});

test("fifty problems are enough", () => {
  const keys = Array.from({ length: 500 }, (_, i) => `x${i}: 1`).join(", ");
  expect(problemsIn(agentWith(["spec", "orchestration"], `{${keys}}`))).toHaveLength(50);
});

test("a refusal never repeats a value, which may be a secret", () => {
  const secret = "sk-live/0123456789";
  for (const place of [primary("endpoint"), primary("provider"), primary("api_key_env"), spec("tools")]) {
    const [key] = place.slice(-1);
    const text = agentWith(place, `\${${String(key).toUpperCase()}}`);
    try {
      parseAgentFile(text, { file: "f", variables: () => secret, registries: {} });
      throw new Error("accepted");
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      expect(JSON.stringify([error.message, error.details])).not.toContain(secret);
    }
  }
});

describe("what somebody sends", () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
  const agent = (spec: unknown) => ({
    apiVersion: "platform/v1",
    kind: "Agent",
    metadata: { name: "a" },
    spec,
  });
  test.each<[string, unknown, string]>([
    ["nothing", undefined, "must be a mapping"],
    ["null", null, "must be a mapping"],
    ["a list", [], "must be a mapping"],
    ["text", "kind: Agent", "must be a mapping"],
    ["an empty mapping", {}, "apiVersion is required"],
    ["a prototype", JSON.parse('{"__proto__": {"kind": "Agent"}}'), "__proto__ is not a possible key"],
    [
      "a hidden prototype",
      agent({ output_schema: JSON.parse('{"__proto__": {}}') }),
      "spec.output_schema.__proto__",
    ],
    ["depth", agent({ output_schema: deep(80) }), "nested deeper than 64"],
    ["NUL", agent({ identity: { role: "a\0b" } }), "spec.identity.role holds a NUL character"],
    ["half a character", agent({ identity: { role: "\ud800" } }), "holds half of a surrogate pair"],
    [
      "half a character in a key",
      agent({ output_schema: { "\ud800": {} } }),
      "holds half of a surrogate pair",
    ],
    ["infinity", agent({ output_schema: { a: Number.POSITIVE_INFINITY } }), "must be a finite number"],
    ["a variable in a key", agent({ output_schema: { "a${": {} } }), "never into keys"],
  ])("%s is refused", (_, input, words) => {
    expect(() => parseAgent(input, { registries: {} })).toThrow(words);
  });

  test("may be a text as well, whose problems have places", () => {
    const text = agentWith(["spec", "prompts"], `{system: "\${HOME}"}`);
    const refused = checkFile(agentKind({}), text);
    expect(refused).toEqual({
      problems: [
        {
          path: "spec.prompts.system",
          message: expect.stringContaining("only files of the operator may read variables"),
          line: 10,
          column: 21,
        },
      ],
    });
    expect(checkFile(agentKind({}), agentWith(["metadata", "version"], "2.0.0"))).toHaveProperty("manifest");
  });

  test("is refused as 422 invalid_manifest, with problems without places", () => {
    try {
      parseAgent(agent({ toolz: [] }), { registries: {} });
      throw new Error("accepted");
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      expect([error.status, error.code]).toEqual([422, "invalid_manifest"]);
      expect(error.details.problems).toEqual([
        { path: "spec.toolz", message: "is not a known key; did you mean `tools`?" },
      ]);
    }
  });
});
