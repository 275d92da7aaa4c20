import { expect, test } from "bun:test";
import {
  changeOf,
  emptyForm,
  formOf,
  hasUnreadable,
  inputOf,
  suggestedName,
} from "../../../src/console/cloud/agents/wizard/wizard-form.ts";

const stored = {
  name: "helper",
  display_name: "Helper",
  status: "draft" as const,
  model: "openai/org/m",
  created_at: "",
  agent_id: "",
  updated_at: "",
  deployed_at: null,
  step1: { model: "openai/org/m" },
  step2: { system_prompt: "Hi." },
  step5: { input_guardrails: ["pii_detection", { type: "max_length", max_chars: 9 }] },
};

test("a stored agent goes through the form unchanged, with the defaults written out", () => {
  expect(inputOf(formOf(stored))).toEqual({
    name: "helper",
    display_name: "Helper",
    step1: { model: "openai/org/m" },
    step2: { system_prompt: "Hi." },
    step3: {},
    step4: { memory_type: "conversational", memory_strategy: "sliding_window", window_size: 20 },
    step5: {
      input_guardrails: ["pii_detection", { type: "max_length", max_chars: 9 }],
      max_tokens: 1000,
    },
  });
});

test("a change removes what was emptied", () => {
  const change = changeOf({ ...formOf(stored), prompt: "", input: [], maxTokens: null });
  expect(change.step2).toEqual({ system_prompt: null, persona: null });
  expect(change.step5).toEqual({ input_guardrails: null, output_guardrails: null, max_tokens: null });
});

test("options that are no JSON object hold the form back", () => {
  const withOptions = (options: string) => ({ ...emptyForm, input: [{ type: "max_length", options }] });
  expect(hasUnreadable(withOptions('{"max_chars": 9}'))).toBe(false);
  for (const options of ["{", "[1]", "null", "7"]) expect(hasUnreadable(withOptions(options))).toBe(true);
});

test.each([
  ["Shop helper", "shop-helper"],
  ["  Élan & Co. ", "elan-co"],
  ["!!!", ""],
  [`${"a".repeat(62)} b`, "a".repeat(62)],
])("%j suggests the name %j", (displayName, name) => {
  expect(suggestedName(displayName)).toBe(name);
});
