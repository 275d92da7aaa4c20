import { expect, test } from "bun:test";
import {
  hasReadableNumbers,
  laneOverride,
} from "../../../../../src/console/studio/playground/lanes/lane-override.ts";

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

test("numbers are sent as numbers; a text that is none is not left out in silence", () => {
  expect(laneOverride({ ...own, temperature: "0", maxTokens: "200" })).toEqual({
    temperature: 0,
    max_tokens: 200,
  });
  for (const temperature of ["warm", "1,5", "1e1", "3"]) {
    expect(hasReadableNumbers({ ...own, temperature })).toBe(false);
    expect(() => laneOverride({ ...own, temperature })).toThrow(temperature);
  }
});

test("an empty system prompt is a wish, an absent one is none", () => {
  expect(laneOverride({ ...own, systemPrompt: "" })).toEqual({ system_prompt: "" });
});
