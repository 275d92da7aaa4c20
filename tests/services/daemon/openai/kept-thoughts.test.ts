import { expect, test } from "bun:test";
import type { Message, ModelEvent } from "../../../../src/engine/models/model.ts";
import { KeptThoughts } from "../../../../src/services/daemon/openai/kept-thoughts.ts";

const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, estimated: false };
const asked = (text: string): Message[] => [{ role: "user", content: text }];
const toolCalls = [{ id: "call_0", name: "weather", input: { city: "Paris" } }];
const turn: Message = { role: "assistant", content: "", toolCalls };

/** Keeps the thoughts of one answer. */
async function keep(thoughts: KeptThoughts, text: string, content: unknown, model = "lab/m"): Promise<void> {
  async function* answer(): AsyncGenerator<ModelEvent> {
    for (const call of toolCalls) yield { type: "tool_call", call };
    yield { type: "end", finish: "tool_calls", usage, echo: { of: "lab/m", content } };
  }
  for await (const _ of thoughts.keepFrom(answer(), model, asked(text))) {
    // Only what is kept matters.
  }
}

function keptOf(thoughts: KeptThoughts, text: string, own: Message = turn, model = "lab/m"): unknown {
  const last = thoughts.addTo(model, [...asked(text), own]).at(-1);
  return last?.role === "assistant" ? last.echo?.content : undefined;
}

test("thoughts come back to the conversation that they belong to, and to no other", async () => {
  const thoughts = new KeptThoughts();
  await keep(thoughts, "one", "thoughts of one");
  expect(keptOf(thoughts, "one")).toBe("thoughts of one");
  expect(keptOf(thoughts, "two")).toBeUndefined();
  expect(keptOf(thoughts, "one", turn, "lab/other")).toBeUndefined();
  const renamed = { ...turn, toolCalls: [{ id: "call_0", name: "other", input: {} }] } as Message;
  expect(keptOf(thoughts, "one", renamed)).toBeUndefined();
});

test("arguments that a client writes anew make no other conversation", async () => {
  const thoughts = new KeptThoughts();
  await keep(thoughts, "one", "thoughts");
  const rewritten = { ...turn, content: " ", toolCalls: [{ ...toolCalls[0], input: { city: "Rome" } }] };
  expect(keptOf(thoughts, "one", rewritten as Message)).toBe("thoughts");
});

test("a turn that brings its own signed thoughts keeps them", async () => {
  const thoughts = new KeptThoughts();
  await keep(thoughts, "one", "thoughts");
  const brings = (own: object) => keptOf(thoughts, "one", { ...turn, thoughts: own } as Message);
  expect(brings({ details: [{ type: "reasoning.text" }] })).toBeUndefined();
  expect(brings({ extra: { call_0: {} } })).toBeUndefined();
  expect(brings({ text: "the text alone" })).toBe("thoughts");
});

test("the oldest turns go when there are more than a thousand, or more than 16 Mi characters", async () => {
  const many = new KeptThoughts();
  for (let at = 0; at <= 1000; at++) await keep(many, `question ${at}`, at);
  expect(keptOf(many, "question 0")).toBeUndefined();
  expect(keptOf(many, "question 1")).toBe(1);
  const long = new KeptThoughts();
  for (let at = 0; at < 3; at++) await keep(long, `question ${at}`, "x".repeat(7 * 1024 * 1024));
  expect([0, 1, 2].map((at) => keptOf(long, `question ${at}`) !== undefined)).toEqual([false, true, true]);
  await keep(long, "too long", "x".repeat(17 * 1024 * 1024));
  expect(keptOf(long, "too long")).toBeUndefined();
});
