import { describe, expect, test } from "bun:test";
import { compilePrompt, type PromptInput } from "../../../src/engine/prompts/prompt.ts";
import { noRecalledTexts } from "../../../src/engine/prompts/recalled-texts.ts";
import type { TemplateEngine } from "../../../src/engine/templates/template.ts";
import { createTemplateCompiler } from "../../../src/engine/templates/template-compiler.ts";
import type { AgentManifest } from "../../../src/manifest/agent/agent.ts";

const engine: TemplateEngine = {
  compile: createTemplateCompiler().compile,
  renderUntrusted: () => Promise.reject(new Error("not used")),
  close() {},
};

function agent(
  prompts: Partial<AgentManifest["spec"]["prompts"]>,
  identity: AgentManifest["spec"]["identity"] = {},
) {
  const manifest = {
    metadata: { name: "support" },
    spec: { identity, orchestration: { pattern: "react" }, prompts: { templates: {}, ...prompts } },
  };
  return compilePrompt(engine, manifest as AgentManifest);
}

const input: PromptInput = {
  query: "Where is {{ my }} order?",
  sessionId: "s-1",
  context: { tier: "gold", user_query: "forged", _secret: "hidden" },
  history: [{ role: "user", content: "Hi" }],
  tools: [{ name: "clock", description: "Tells the time.", parameters: { type: "object" } }],
  recalled: noRecalledTexts,
  now: new Date("2026-03-01T23:30:00Z"),
};

describe("a prompt that reads nothing of the run", () => {
  const rendered = (template: string, change: Partial<PromptInput>) => {
    const { system } = agent({ system: template });
    return [system(input), system({ ...input, ...change })];
  };

  test("is rendered once, until the tools change", () => {
    const tools = [{ name: "map", description: "", parameters: { type: "object" } }];
    const list = "{% for t in available_tools %}{{ t.name }}{% endfor %}";
    expect(rendered(list, { query: "other" })).toEqual(["clock", "clock"]);
    expect(rendered(list, { tools })).toEqual(["clock", "map"]);
  });

  test("which also shows the date is rendered once a day", () => {
    const { system } = agent({ system: "{{ agent_name }} on {{ current_date }}{{ missing }}" });
    expect(system(input)).toBe("support on 2026-03-01");
    const later = (now: string, context = {}) => system({ ...input, context, now: new Date(now) });
    expect(later("2026-03-01T23:59:59Z")).toBe("support on 2026-03-01");
    expect(later("2026-03-02T00:00:00Z")).toBe("support on 2026-03-02");
    expect(later("2026-03-02T00:00:00Z", { missing: "!" })).toBe("support on 2026-03-02!");
    expect(later("2026-03-02T00:00:00Z")).toBe("support on 2026-03-02");
  });

  test.each([
    ["{{ user_query }}", { query: "other" }, "other"],
    ["{{ current_date }}", { now: new Date("2027-01-02T00:00:00Z") }, "2027-01-02"],
    ["{{ tier }}", { context: { tier: "silver" } }, "silver"],
    ["{{ context.tier }}", { context: { tier: "silver" } }, "silver"],
    ["{% include 'part' %}", { query: "other" }, "other"],
  ] as const)("%s is rendered for each run", (template, change, text) => {
    const { system } = agent({ system: template, templates: { part: "{{ user_query }}" } });
    void system(input);
    expect(system({ ...input, ...change })).toBe(text);
  });

  test("chance is rendered for each run", () => {
    const { system } = agent({ system: "{{ [1, 2, 3, 4, 5, 6, 7, 8, 9] | random }}" });
    expect(new Set(Array.from({ length: 50 }, () => system(input))).size).toBeGreaterThan(1);
  });
});

describe("variables", () => {
  const cases: [template: string, text: string][] = [
    ["{{ user_query }}", "Where is {{ my }} order?"],
    [
      "{{ agent_name }}/{{ description }}/{{ role }}/{{ personality }}/{{ display_name }}",
      "support/helps/clerk/kind/Desk",
    ],
    [
      "{{ session_id }} {{ current_date }} [{{ semantic_context }}{{ episodic_context }}{{ knowledge }}]",
      "s-1 2026-03-01 []",
    ],
    ["{% for m in conversation_history %}{{ m.role }}: {{ m.content }}{% endfor %}", "user: Hi"],
    ["{% for t in available_tools %}{{ t.name }} {{ t.description }}{% endfor %}", "clock Tells the time."],
    ["{{ tier }} {{ context.tier }}", "gold gold"],
    ["[{{ _secret }}{{ context._secret }}{{ context['_secret'] }}]", "[]"],
    ["[{{ missing }}{{ missing.deep }}{{ context.missing.deep }}]", "[]"],
  ];
  const identity = { display_name: "Desk", description: "helps", role: "clerk", personality: "kind" };
  for (const [template, text] of cases) {
    test(template, () => {
      expect(agent({ system: template }, identity).system(input)).toBe(text);
      expect(agent({ context: template }, identity).contextBlock(input)).toBe(text);
    });
  }

  test("history and tools are only built for templates that show them", () => {
    const untouchable = {
      ...input,
      get history(): never {
        throw new Error("built");
      },
    };
    expect(agent({ system: "{{ user_query }}" }).system(untouchable)).toBe(input.query);
  });
});

describe("what was recalled", () => {
  const recalled = {
    memories: { text: "MEMORIES", items: [{ text: "was said", score: 1 }] },
    episodes: { text: "EPISODES", items: [{ summary: "happened" }] },
    passages: { text: "PASSAGES", items: [{ text: "a passage", source: "book" }] },
  };
  const full = { ...input, recalled };

  test("comes before the agent's context prompt where no template shows it", () => {
    expect(agent({ context: "CONTEXT" }).contextBlock(full)).toBe(
      "MEMORIES\n\nEPISODES\n\nPASSAGES\n\nCONTEXT",
    );
  });

  test.each([
    ["system", "{{ semantic_context }}", "MEMORIES", "EPISODES\n\nPASSAGES"],
    [
      "system",
      "{% for e in episodic_memories %}{{ e.summary }}{% endfor %}",
      "happened",
      "MEMORIES\n\nPASSAGES",
    ],
    ["system", "{% for p in knowledge_passages %}{{ p.source }}{% endfor %}", "book", "MEMORIES\n\nEPISODES"],
    ["context", "{{ knowledge }}", "", "MEMORIES\n\nEPISODES\n\nPASSAGES"],
  ])("%s: %s is shown there and nowhere else", (prompt, template, system, block) => {
    const made = agent({ [prompt]: template });
    if (prompt === "system") expect(made.system(full)).toBe(system);
    expect(made.contextBlock(full)).toBe(block);
  });

  test("changes the prompt from run to run", () => {
    const { system } = agent({ system: "[{{ knowledge }}]" });
    expect([system(full), system(input), system(full)]).toEqual(["[PASSAGES]", "[]", "[PASSAGES]"]);
  });
});

test("without a system prompt the identity makes one, which is not rendered as a template", () => {
  expect(agent({}).system(input)).toBe("You are support.");
  const identity = { display_name: "Desk", description: "Helps {{ 7*7 }}.", role: "A clerk." };
  expect(agent({}, identity).system(input)).toBe("You are Desk.\nA clerk.\nHelps {{ 7*7 }}.");
  expect(agent({}).contextBlock(input)).toBe("");
});

test("prompts include the agent's templates; faults name the prompt", () => {
  expect(
    agent({ system: "{% include 'tone' %}", templates: { tone: "Be kind, {{ agent_name }}." } }).system(
      input,
    ),
  ).toBe("Be kind, support.");
  const broken: [Partial<AgentManifest["spec"]["prompts"]>, string][] = [
    [{ system: "{{" }, "spec.prompts.system"],
    [{ context: "{{" }, "spec.prompts.context"],
    [{ templates: { tone: "{{" } }, "spec.prompts.templates.tone"],
  ];
  for (const [prompts, path] of broken) {
    expect(() => agent(prompts)).toThrow(
      expect.objectContaining({
        code: "template_invalid",
        details: { problems: [expect.objectContaining({ path, line: 1 })] },
      }),
    );
  }
});
