import { describe, expect, test } from "bun:test";
import { ModelFailure } from "../../../src/engine/models/model-failure.ts";
import type { AppError } from "../../../src/kit/app-error.ts";
import { asks, says, stage, told } from "../../support/staged-run.ts";

const trip = { output_schema: { city: "string", days: "integer" } };
const json = '{"city":"Lima","days":3}';
const fenced = `Take this:\n\n\`\`\`json\n${json}\n\`\`\``;

/** Returns a `done` event's data, and the other main fields of the result. */
async function resultOf(options: Parameters<typeof stage>[0]) {
  const { result, tokens, thrown } = await stage(options).run();
  if (result === undefined) throw thrown;
  return { ...result, tokens };
}

describe("the result of an agent with output_schema", () => {
  test.each([
    ["the whole answer", json],
    ["a block of it", fenced],
  ])("has the data of %s, and the answer as it was", async (_name, answer) => {
    const result = await resultOf({ spec: trip, calls: [says(...answer.split(" "))] });
    expect(result.data).toEqual({ city: "Lima", days: 3 });
    expect(result).not.toHaveProperty("data_error");
    expect(result.response).toBe(answer.split(" ").join(""));
    expect(result.tokens).toBe(result.response);
  });

  test.each([
    ["that holds no JSON", "I would go to Lima.", "The answer holds no JSON"],
    [
      "that does not fit",
      '{"city":7}',
      "does not fit output_schema: days is missing; city must be a string.",
    ],
  ])("has none, and why, for an answer %s; the run succeeds", async (_name, answer, error) => {
    const scene = stage({ spec: trip, calls: [answer] });
    const { result } = await scene.run();
    expect(result).toMatchObject({ response: answer, data: null });
    expect(result?.data_error).toContain(error);
    expect(scene.finished).toMatchObject([{ status: "ok" }]);
  });

  test("takes a JSON Schema as well", async () => {
    const spec = { output_schema: { type: "array", items: { enum: ["a", "b"] } } };
    expect((await resultOf({ spec, calls: ['["a","b"]'] })).data).toEqual(["a", "b"]);
    expect((await resultOf({ spec, calls: ['["c"]'] })).data_error).toContain('[0] must be one of "a","b"');
  });

  test("has neither where the agent declares none", async () => {
    const result = await resultOf({ calls: [json] });
    expect(result).not.toHaveProperty("data");
    expect(result).not.toHaveProperty("data_error");
  });

  test("has the data of what comes after tools and words", async () => {
    const result = await resultOf({
      spec: trip,
      calls: [asks("I look it up.", "atlas"), says(fenced)],
      tools: [{ name: "atlas", execute: async () => ({ success: true, data: "Lima" }) }],
    });
    expect(result.data).toEqual({ city: "Lima", days: 3 });
    expect(result.response).toBe(`I look it up.\n\n${fenced}`);
  });
});

describe("the model", () => {
  test("gets the shape at the end of its instructions, in every call", async () => {
    const scene = stage({
      spec: { ...trip, prompts: { system: "You plan trips." } },
      calls: [asks("", "atlas"), says(json)],
      tools: [{ name: "atlas", execute: async () => ({ success: true, data: 1 }) }],
    });
    await scene.run();
    await scene.run({ sessionId: "other" });
    const systems = scene.model.requests.map(({ messages }) => messages[0]?.content ?? "");
    expect(systems).toHaveLength(3);
    expect(new Set(systems).size).toBe(1);
    expect(systems[0]).toStartWith("You plan trips.\n\nYour answer must contain JSON");
    expect(systems[0]).toEndWith('"required":["city","days"],"additionalProperties":false}');
  });

  test("gets no shape if none is declared", async () => {
    const plain = stage({ calls: [json] });
    await plain.run();
    expect(told(plain.model).join("\n")).not.toContain("JSON");
    expect(plain.model.requests[0]).not.toHaveProperty("answerSchema");
  });

  test("gets the shape itself for what is part of the answer", async () => {
    const scene = stage({ spec: trip, calls: [json] });
    await scene.run();
    expect(scene.model.requests[0]?.answerSchema).toMatchObject({
      name: "answer",
      schema: { type: "object", required: ["city", "days"] },
    });
  });
});

describe("guardrails on the way out", () => {
  const withMail = { output_schema: { mail: "string" } };
  const pii = { guardrails: { output: [{ type: "pii_detection", action: "redact" }] } };

  test("redact inside the JSON, which stays JSON", async () => {
    const answer = 'Here:\n```json\n{"mail": "ana@example.com"}\n```';
    const result = await resultOf({ spec: { ...withMail, ...pii }, calls: [answer] });
    expect(result.data).toEqual({ mail: "[EMAIL]" });
    expect(result.response).toBe('Here:\n```json\n{"mail": "[EMAIL]"}\n```');
  });

  test("may leave no JSON: the error says so, and contains none of the removed text", async () => {
    const result = await resultOf({
      spec: { output_schema: { card: "number" }, ...pii },
      calls: ['{"card": 4111111111111111}'],
    });
    expect(result).toMatchObject({ response: '{"card": [CREDIT_CARD]}', data: null });
    expect(result.data_error).toContain("can't be read");
    expect(JSON.stringify(result)).not.toContain("4111111111111111");
  });

  test("are heard of in what does not fit any more", async () => {
    const spec = { output_schema: { type: "object", properties: { mail: { format: "email" } } }, ...pii };
    const result = await resultOf({ spec, calls: ['{"mail":"ana@example.com"}'] });
    expect(result).toMatchObject({ data: null, response: '{"mail":"[EMAIL]"}' });
    expect(result.data_error).toContain("mail must be a valid email");
  });
});

test("a run that fails has no data", async () => {
  const scene = stage({ spec: trip, calls: [new ModelFailure("caller", "no")] });
  const { result, thrown } = await scene.run();
  expect(result).toBeUndefined();
  expect((thrown as AppError).cause).toBeInstanceOf(ModelFailure);
});

test("an answer that was cut off says so by its JSON", async () => {
  const scene = stage({
    spec: trip,
    calls: [
      [
        { type: "text", text: '```json\n{"city":"Li' },
        {
          type: "end",
          finish: "length",
          usage: { inputTokens: 1, outputTokens: 1, cachedTokens: 0, estimated: false },
        },
      ],
    ],
  });
  expect((await scene.run()).result?.data_error).toContain("A string is not closed");
});
