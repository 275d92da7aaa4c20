import { describe, expect, test } from "bun:test";
import { AnswerCut } from "../../../src/engine/models/answer-limit.ts";
import { createBreakers } from "../../../src/engine/models/breakers.ts";
import type { Model, ModelEvent, ModelRequest } from "../../../src/engine/models/model.ts";
import { createRouter } from "../../../src/engine/models/router.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { requestOf, scriptedModel } from "../../support/scripted-model.ts";

const KIB = 1024;
const signal = new AbortController().signal;
const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, estimated: false };

/** A model whose server sends these events, whatever it was asked. */
function sending(events: readonly ModelEvent[], about: Partial<Model> = {}) {
  let isClosed = false;
  const model: Model = {
    ...scriptedModel({ provider: "one", contextWindow: 100_000 }),
    ...about,
    async *call() {
      try {
        yield* events;
      } finally {
        isClosed = true;
      }
    },
  };
  return { model, isClosed: () => isClosed };
}

async function answerOf(model: Model, change: Partial<ModelRequest>) {
  const clock = new FakeClock();
  const router = createRouter({
    candidates: [model],
    strategy: "quality_first",
    breakers: createBreakers(clock),
    clock,
  });
  let text = "";
  let calls = 0;
  let end: Extract<ModelEvent, { type: "end" }> | undefined;
  for await (const event of router.call({ ...requestOf("hi"), ...change }, signal)) {
    if (event.type === "text") text += event.text;
    if (event.type === "texts") text += event.texts.join("");
    if (event.type === "tool_call") calls++;
    if (event.type === "end") end = event;
  }
  return { bytes: Buffer.byteLength(text), text, calls, end };
}

const textsOf = (unit: string, pieces: number) =>
  Array.from({ length: pieces }, (): ModelEvent => ({ type: "text", text: unit }));
const end: ModelEvent = { type: "end", finish: "stop", usage };
const call = (text: string): ModelEvent => ({
  type: "tool_call",
  call: { id: "c", name: "t", input: { text } },
});

const asked: [name: string, request: Partial<ModelRequest>, about: Partial<Model>, tokens: number][] = [
  ["max_tokens of the request", { parameters: { max_tokens: 1000 } }, {}, 1000],
  ["max_tokens of the model", {}, { answerTokensMax: 2000 }, 2000],
  ["what is left of a limit", { answerTokensMax: 500, parameters: { max_tokens: 9000 } }, {}, 500],
  ["a request without a limit", {}, { contextWindow: 3000 }, 256 * KIB],
];

describe.each(asked)("an answer beyond %s", (_, request, about, tokens) => {
  const bytesMax = tokens * 16;
  test.each([
    ["in one piece", [{ type: "text", text: "x".repeat(8 * KIB * KIB) }, end]],
    ["in many pieces", [...textsOf("word ".repeat(20), 60_000), end]],
    ["in bundles", [{ type: "texts", texts: Array(60_000).fill("word ".repeat(20)) }, end]],
    ["of wide characters", [...textsOf("政".repeat(1000), 2000), end]],
  ] as [string, ModelEvent[]][])("is cut, %s, and its server is let go", async (_, events) => {
    const { model, isClosed } = sending(events, about);
    const answer = await answerOf(model, request);
    expect(answer.bytes).toBeLessThanOrEqual(bytesMax);
    expect(answer.bytes).toBeGreaterThan(bytesMax - 4);
    expect(answer.end).toMatchObject({ finish: "length", isCut: true, usage: { estimated: true } });
    expect(answer.end?.usage.outputTokens).toBeLessThanOrEqual(tokens);
    expect(isClosed()).toBe(true);
  });

  test("has no tool call that is longer", async () => {
    const { model } = sending([call("short"), call("x".repeat(bytesMax)), end], about);
    expect(await answerOf(model, request)).toMatchObject({ calls: 1, end: { finish: "length" } });
  });
});

test("an answer within its tokens stays as it is, with the server's usage", async () => {
  const text = "x".repeat(16_000);
  const { model } = sending([{ type: "text", text }, end]);
  const answer = await answerOf(model, { parameters: { max_tokens: 1000 } });
  expect(answer).toMatchObject({ text, end: { finish: "stop", usage } });
  expect(answer.end?.isCut).toBeUndefined();
});

test("very few tokens leave room for 4 KiB, since servers may round them up", () => {
  const limit = new AnswerCut({ ...requestOf("hi"), answerTokensMax: 1 }, { contextWindow: 100_000 });
  expect(limit.lastEvents({ type: "text", text: "x".repeat(4096) })).toBeUndefined();
  expect(limit.lastEvents({ type: "text", text: "x" })).toMatchObject([{ type: "end", finish: "length" }]);
});
