import { describe, expect, test } from "bun:test";
import type { WizardConfig } from "../../../../src/contracts/cloud/agents.ts";
import {
  compileManifest,
  configProblem,
} from "../../../../src/services/cloud/agents/wizard/compile-manifest.ts";

const base: WizardConfig = { step1: { model: "openai/gpt" }, step2: { system_prompt: "Be brief." } };

const specOf = (config: WizardConfig) =>
  (
    compileManifest({ name: "helper", displayName: "Helper", config: { ...base, ...config } }) as {
      spec: object;
    }
  ).spec;

/** The rows of the table that says how a config becomes a manifest. */
const rows: readonly (readonly [what: string, config: WizardConfig, spec: object])[] = [
  [
    "defaults",
    {},
    {
      identity: { display_name: "Helper" },
      model: { primary: { provider: "openai", model: "gpt", parameters: { max_tokens: 1000 } } },
      prompts: { system: "Be brief." },
      orchestration: { pattern: "react", max_iterations: 5, timeout_seconds: 30 },
      tools: [],
      memory: { conversational: { strategy: "sliding_window", max_turns: 20 } },
      guardrails: { input: [], output: [] },
    },
  ],
  [
    "a model is split at its first slash, and ollama's needs none",
    { step1: { model: "groq/meta/llama", fallback_model: "llama3" }, step5: { max_tokens: 7 } },
    {
      model: {
        primary: { provider: "groq", model: "meta/llama", parameters: { max_tokens: 7 } },
        fallback: { provider: "ollama", model: "llama3", parameters: { max_tokens: 7 } },
      },
    },
  ],
  ["a persona", { step2: { persona: "a pirate" } }, { identity: { personality: "a pirate" } }],
  ["tools", { step3: { tools: ["calculator"] } }, { tools: [{ name: "calculator", type: "builtin" }] }],
  [
    "200 tokens for each message",
    { step4: { memory_strategy: "token_budget", window_size: 30 } },
    { memory: { conversational: { strategy: "token_budget", token_budget: 6000 } } },
  ],
  [
    "a further memory",
    { step4: { memory_type: "episodic", window_size: 4 } },
    { memory: { conversational: { strategy: "sliding_window", max_turns: 4 }, episodic: {} } },
  ],
  [
    "guardrails by name, by alias and with options",
    {
      step5: {
        input_guardrails: ["pii_filter"],
        output_guardrails: [{ type: "content_safety", keywords: ["x"] }],
      },
    },
    {
      guardrails: {
        input: [{ type: "pii_detection" }],
        output: [{ type: "content_filter", keywords: ["x"] }],
      },
    },
  ],
];

describe("compiling a config", () => {
  for (const [what, config, spec] of rows) test(what, () => expect(specOf(config)).toMatchObject(spec));

  test("problems of the manifest name the config's keys", () => {
    const told = (path: string) => configProblem({ path, message: "is wrong" }).path;
    expect(told("spec.guardrails.input[2].topics")).toBe("step5.input_guardrails[2].topics");
    expect(told("spec.model.fallback.model")).toBe("step1.fallback_model");
    expect(told("spec.model.primary.parameters.max_tokens")).toBe("step5.max_tokens");
    expect(told("spec.tools[1].name")).toBe("step3.tools[1].name");
    expect(told("spec.prompts.system")).toBe("step2.system_prompt");
  });
});
