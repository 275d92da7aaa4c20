import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtParts } from "../../src/command/parts.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

/** Returns the problems of a workspace's files, as `line: path message`. */
async function told(files: Readonly<Record<string, string>>): Promise<string[]> {
  using folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, name)), { recursive: true });
    writeFileSync(join(folder.path, name), text);
  }
  const validated = await builtParts.validate({ workspace: folder.path }, []);
  return validated.flatMap(({ problems }) =>
    problems.map(({ line, path, message }) => `${line}: ${path} ${message}`),
  );
}

const agent = (spec: string, name = "desk") => `apiVersion: platform/v1
kind: Agent
metadata: {name: ${name}}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
${spec}`;

test("errors of every layer are reported at once", async () => {
  const text = agent(`  identity: {description: a, description: b}
  orchestration: {pattern: react, max_iterations: many}
  prompts: {system: "{{ unclosed"}
  permissions: {allowed_actions: [read]}
  tools:
    - {name: datetime_now, type: builtin, permissions: [write], shape: round}
    - {name: ask, type: agent, config: {agent: nobody}}
  knowledge: {pipeline: absent}
  guardrails:
    input: [{type: topic_filter, terms: 3}]
`);
  const problems = await told({ "agents/desk.agent.yaml": text });
  const lines = problems.map((problem) => problem.replace(/^(\d+: \S+).*$/s, "$1"));
  expect(lines).toEqual(
    expect.arrayContaining([
      "6: spec.identity.description",
      "7: spec.orchestration.max_iterations",
      "8: spec.prompts.system",
      "11: spec.tools[0].permissions[0]",
      "11: spec.tools[0].shape",
      "12: spec.tools[1].config.agent",
      "13: spec.knowledge.pipeline",
    ]),
  );
});

describe("an error that only follows from another is not reported", () => {
  const table: Readonly<Record<string, readonly [spec: string, paths: readonly string[]]>> = {
    "a worker whose tool is broken": [
      "  orchestration: {pattern: supervisor, workers: [ask]}\n  tools: [{name: ask, type: agent}]\n",
      ["spec.tools[0].config"],
    ],
    "a tool behind a broken one keeps its place": [
      "  tools:\n    - {type: builtin}\n    - {name: ask, type: agent, config: {agent: nobody}}\n",
      ["spec.tools[0].name", "spec.tools[1].config.agent"],
    ],
    "an action where the list of actions is broken": [
      "  permissions: {allowed_actions: read}\n  tools: [{name: datetime_now, type: builtin, permissions: [write]}]\n",
      ["spec.permissions.allowed_actions"],
    ],
  };
  test.each(Object.entries(table))("%s", async (_name, [spec, paths]) => {
    const problems = await told({ "agents/desk.agent.yaml": agent(spec) });
    expect(problems.map((problem) => problem.split(" ")[1])).toEqual([...paths]);
  });
});

test("a model that can't be read is not reported as missing too", async () => {
  const text = "apiVersion: platform/v1\nkind: Agent\nmetadata: {name: a}\nspec:\n  model: openai:gpt-4o\n";
  expect(await told({ "agents/a.agent.yaml": text })).toEqual([
    '5: spec.model must be a mapping, got "openai:gpt-4o"',
  ]);
});

test("a head that can't be used keeps nothing of the rest from being checked", async () => {
  const problems = await told({
    "agents/a.agent.yaml":
      'metadata: {name: "Not A Name"}\nspec:\n  model: {primary: {provider: rehearsal, model: rehearsal}}\n  tools: [{name: ask, type: agent, config: {agent: b}}]\n  prompts: {system: "{{ x"}\n',
    "agents/b.agent.yaml": "kind: Agent\nmetadata: {name: B}\nspec: {}\n",
  });
  const paths = problems.map((problem) => problem.split(" ")[1]);
  for (const path of [
    "apiVersion",
    "kind",
    "metadata.name",
    "spec.tools[0].config.agent",
    "spec.prompts.system",
  ])
    expect(paths).toContain(path);
});

test("syntax errors are reported together, with those before them", async () => {
  const text = agent("  idntity: {}\n  tools: [a\n  prompts: }\n");
  const problems = await told({ "agents/desk.agent.yaml": text });
  expect(problems[0]).toBe("6: spec.idntity is not a known key; did you mean `identity`?");
  expect(problems.filter((problem) => problem.includes("is not YAML")).length).toBeGreaterThanOrEqual(1);
  expect(problems.join("\n")).not.toContain("is required");
});

test("an unknown key that is near none gets the keys there are", async () => {
  const [problem] = await told({ "agents/desk.agent.yaml": agent("  memory: {conversational: {zzz: 1}}\n") });
  expect(problem).toStartWith(
    "6: spec.memory.conversational.zzz is not a known key; the keys here are `backend`",
  );
});

describe("the value found", () => {
  const table: readonly (readonly [model: string, end: string])[] = [
    ["{provider: rehearsal, model: rehearsal, parameters: {temperature: 99}}", "between 0 and 2, got 99"],
    ["{provider: rehearsal, model: rehearsal, parameters: {temperature: hot}}", 'between 0 and 2, got "hot"'],
    ["{provider: rehearsal, model: rehearsal, parameters: {temperature: [1]}}", "got a list"],
    ["{provider: rehearsal, model: rehearsal, parameters: {temperature: null}}", "got null"],
    // A secret in the wrong place is not quoted, nor is a variable's value.
    ["{provider: rehearsal, model: rehearsal, api_key_env: sk-abcdefghijklmnopqrst}", "characters"],
    [`{provider: "\${HOME}", model: rehearsal}`, `got "\${HOME}"`],
  ];
  test.each(table)("%s", async (model, end) => {
    const text = agent("").replace("{provider: rehearsal, model: rehearsal}", () => model);
    const [problem = ""] = await told({ "agents/desk.agent.yaml": text });
    expect(problem).toContain(end);
    expect(problem).not.toContain("abcdefghij");
    expect(problem).not.toContain(process.env.HOME ?? "no home");
  });
});
