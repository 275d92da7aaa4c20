import { describe, expect, test } from "bun:test";
import { parse } from "yaml";
import {
  changeOfManifest,
  inputOfManifest,
  placeOf,
  strangeProblems,
  textOfAgent,
} from "../../../src/console/cloud/agents/org-manifest.ts";
import { orgTemplate, orgTemplateNames } from "../../../src/console/cloud/agents/org-templates.ts";
import type { WizardConfig } from "../../../src/contracts/cloud/agents.ts";

const names = { name: "helper", display_name: "Helper" };

describe("a config of the cloud as a manifest", () => {
  const configs: [what: string, config: WizardConfig][] = [
    ["without any step", {}],
    ["with a model and its fallback", { step1: { model: "openai/org/m", fallback_model: "groq/x" } }],
    [
      "with a prompt of several lines",
      { step2: { system_prompt: "Hi.\n\nBe brief: {{ context }}", persona: "kind" } },
    ],
    ["with tools", { step3: { tools: ["datetime_now", "calculator"] } }],
    [
      "with every kind of memory",
      { step4: { memory_type: "semantic", memory_strategy: "token_budget", window_size: 7 } },
    ],
    [
      "with guardrails by name and with options",
      {
        step1: { model: "rehearsal/rehearsal" },
        step5: {
          input_guardrails: ["pii_detection", { type: "max_length", max_chars: 9 }],
          output_guardrails: [{ type: "content_filter", keywords: ["x"] }],
          max_tokens: 12,
        },
      },
    ],
  ];
  test.each(configs)("%s comes back unchanged", (_, config) => {
    expect(inputOfManifest(parse(textOfAgent({ ...names, ...config })))).toEqual({ ...names, ...config });
  });

  test("the first window of a conversation alone is no long-term memory", () => {
    const { step4 } = inputOfManifest(
      parse(textOfAgent({ ...names, step4: { memory_type: "conversational" } })),
    );
    expect(step4).toBeUndefined();
  });

  test("a change removes what the manifest no longer has", () => {
    const text = textOfAgent({ ...names, step1: { model: "openai/m" } });
    expect(changeOfManifest(parse(text))).toEqual({
      display_name: "Helper",
      step1: { model: "openai/m", fallback_model: null },
      step2: { system_prompt: null, persona: null },
      step3: { tools: null },
      step4: { memory_type: null, memory_strategy: null, window_size: null },
      step5: { input_guardrails: null, output_guardrails: null, max_tokens: null },
    });
  });

  test("an agent without a shown name is shown by its name", () => {
    expect(inputOfManifest({ metadata: { name: "a" } }).display_name).toBe("a");
  });

  test("what the cloud does not keep is told at its place", () => {
    const manifest = parse(textOfAgent({ ...names, step3: { tools: ["datetime_now"] } }));
    expect(strangeProblems(manifest)).toEqual([]);
    manifest.spec.triggers = [];
    manifest.spec.model = { primary: { provider: "a", model: "b", endpoint: "http://c" } };
    manifest.spec.tools[0].type = "webhook";
    manifest.spec.memory = { semantic: {}, episodic: {} };
    expect(strangeProblems(manifest).map(({ path }) => path)).toEqual([
      "spec.triggers",
      "spec.model.primary.endpoint",
      "spec.memory",
      "spec.tools[0].type",
    ]);
  });

  test.each([
    ["name", "metadata.name"],
    ["step1.model", "spec.model.primary.model"],
    ["step3.tools[2]", "spec.tools[2].name"],
    ["step5.input_guardrails[0].max_chars", "spec.guardrails.input[0].max_chars"],
    ["unknown", "unknown"],
  ])("%s of a config is %s of the manifest", (path, place) => expect(placeOf(path)).toBe(place));
});

test.each([...orgTemplateNames])("the template %s is an agent of the cloud with a free name", (template) => {
  const offered = { tools: ["datetime_now"], guardrails: ["pii_detection", "prompt_injection"] };
  const first = parse(orgTemplate(template, [], offered));
  expect(strangeProblems(first)).toEqual([]);
  expect(inputOfManifest(first).step1?.model).toBe("rehearsal/rehearsal");
  const { name } = first.metadata;
  expect(parse(orgTemplate(template, [name], { tools: [], guardrails: [] })).metadata.name).toBe(`${name}-2`);
});
