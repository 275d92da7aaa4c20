import { expect, test } from "bun:test";
import { diffCassettes } from "../../../../src/engine/cassettes/compare/diff-cassettes.ts";
import { ModelFailure } from "../../../../src/engine/models/model-failure.ts";
import { recorded } from "../../../support/cassettes.ts";
import { asks, type StageOptions, stage } from "../../../support/staged-run.ts";

const looking = (id: string, at: string, seen: string, answer: string): StageOptions => ({
  calls: [asks("", { id, name: "look", input: { at } }), answer],
  tools: [{ name: "look", execute: async () => ({ success: true, data: { seen } }) }],
});

async function diff(one: StageOptions, other: StageOptions, query = "What colour?", otherQuery = query) {
  const a = await recorded(stage(one), { query, sessionId: "one" });
  const b = await recorded(stage(other), { query: otherQuery, sessionId: "two" });
  return diffCassettes(a.cassette, b.cassette);
}

test("ids, sessions and times of two runs make no difference", async () => {
  const comparison = await diff(
    looking("call_a", "sky", "blue", "Blue."),
    looking("call_b", "sky", "blue", "Blue."),
  );
  expect(comparison.divergence).toBeUndefined();
  expect(comparison).toMatchObject({ identical: true, a: { session_id: "one" }, b: { session_id: "two" } });
});

test.each<[string, StageOptions, StageOptions, object]>([
  [
    "a model that says something else",
    looking("c", "sky", "blue", "Blue."),
    looking("c", "sky", "blue", "Bluish."),
    {
      at: "request",
      kind: "model",
      number: 2,
      message: "To the same request, model call 2 of staged was answered differently: text differs.",
      difference: { path: "text", character: 4, expected: "Blue.", got: "Bluish." },
    },
  ],
  [
    "a tool that is asked something else",
    looking("c", "sky", "blue", "Blue."),
    looking("c", "sea", "blue", "Blue."),
    { at: "request", kind: "model", number: 1, difference: { path: "calls[0].input.at" } },
  ],
  [
    "a tool that answers something else",
    looking("c", "sky", "blue", "Blue."),
    looking("c", "sky", "grey", "Blue."),
    { at: "request", kind: "tool", number: 1, difference: { path: "result.data.seen" } },
  ],
  [
    "another prompt",
    { spec: { prompts: { system: "Be kind." } } },
    { spec: { prompts: { system: "Be quick." } } },
    { at: "request", kind: "model", number: 1, difference: { path: "messages[0].content", character: 4 } },
  ],
  [
    "one call more",
    looking("c", "sky", "blue", "Blue."),
    {
      calls: [asks("", { id: "c", name: "look", input: { at: "sky" } })],
      tools: looking("c", "", "blue", "").tools ?? [],
    },
    { at: "request", number: 2 },
  ],
  [
    "a run that fails",
    { calls: ["Fine."] },
    { calls: [new ModelFailure("content_refused", "refused")] },
    { at: "request", difference: { path: "text" } },
  ],
  [
    "what a guardrail makes of the same answer",
    { calls: ["ann@example.com"] },
    {
      calls: ["ann@example.com"],
      spec: { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } },
    },
    { at: "event", number: 1, difference: { path: "content" } },
  ],
])("finds %s", async (_, one, other, divergence) => {
  expect(await diff(one, other)).toMatchObject({ identical: false, divergence });
});

test("different questions are the first difference", async () => {
  expect(await diff({}, {}, "What colour?", "What shape?")).toMatchObject({
    identical: false,
    divergence: {
      at: "request",
      message: "The runs were asked different things: query differs.",
      difference: { path: "query", character: 6 },
    },
  });
});
