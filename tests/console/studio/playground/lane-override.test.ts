import { expect, test } from "bun:test";
import { laneOverride } from "../../../../src/console/studio/playground/lane-override.ts";

const own = { model: "", temperature: "", maxTokens: "" };

test("an agent that stays as it is needs no override", () => {
  expect(laneOverride(own)).toBeUndefined();
  expect(laneOverride({ ...own, model: "  ", temperature: " " })).toBeUndefined();
});

test.each([
  ["openai/gpt-4o", { provider: "openai", model: "gpt-4o" }],
  ["openrouter/meta/llama-3", { provider: "openrouter", model: "meta/llama-3" }],
  ["gpt-4o", { model: "gpt-4o" }],
  ["openai/", { model: "openai/" }],
  ["/gpt-4o", { model: "/gpt-4o" }],
])("the model %s", (model, override) => {
  expect(laneOverride({ ...own, model })).toEqual(override);
});

test("numbers are sent as numbers; what is none is left to the agent", () => {
  expect(laneOverride({ ...own, temperature: "0", maxTokens: "200" })).toEqual({
    temperature: 0,
    max_tokens: 200,
  });
  expect(laneOverride({ ...own, temperature: "warm" })).toBeUndefined();
});

test("an empty system prompt is a wish, an absent one is none", () => {
  expect(laneOverride({ ...own, systemPrompt: "" })).toEqual({ system_prompt: "" });
});
