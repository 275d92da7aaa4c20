import { describe, expect, test } from "bun:test";
import type { ModelParameters, ModelRequest } from "../../../../../src/engine/models/model.ts";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { readAnswer } from "../../../../support/read-answer.ts";
import { requestOf } from "../../../../support/scripted-model.ts";

const kinds = ["openai", "vllm", "llamacpp", "hf_tgi", "groq", "mistral", "ollama", "anthropic", "cohere"];
const hosted: Record<string, string> = { openai: "https://api.openai.com/v1" };

/** Returns the maximum answer length in a request's body, under any vendor's name. */
async function askedFor(kind: string, parameters: ModelParameters, fields: Partial<ModelRequest>) {
  let body: Record<string, unknown> = {};
  const model = findProviderKind(kind)?.build(
    {
      provider: "p",
      model: "m",
      endpoint: hosted[kind] ?? "http://m.example",
      apiKey: "k",
      parameters,
      timeoutMs: 1000,
    },
    {
      clock: new FakeClock(),
      newId,
      fetch: async (_url, init) => {
        body = JSON.parse(String(init.body)) as Record<string, unknown>;
        return new Response("", { status: 500 });
      },
    },
  );
  if (!model) throw new Error(`no kind ${kind}`);
  await readAnswer(model, requestOf("hi", fields));
  const options = body.options as Record<string, unknown> | undefined;
  const found = [body.max_tokens, body.max_completion_tokens, options?.num_predict];
  const named = found.filter((tokens) => tokens !== undefined);
  expect(named.length).toBeLessThan(2);
  return named[0];
}

describe.each(kinds.map((kind) => [kind]))("the answer's maximum length for %s:", (kind) => {
  /** The default for Anthropic, whose API requires a value. */
  const unsaid = kind === "anthropic" ? 16_000 : undefined;
  const table: [
    name: string,
    own: ModelParameters,
    request: Partial<ModelRequest>,
    expected: number | undefined,
  ][] = [
    ["as long as it likes", {}, {}, unsaid],
    ["by its own parameters", { max_tokens: 500 }, {}, 500],
    ["by the request's", { max_tokens: 500 }, { parameters: { max_tokens: 700 } }, 700],
    ["by the ceiling, where nothing else is said", {}, { answerTokensMax: 300 }, 300],
    ["by the ceiling below its own", { max_tokens: 500 }, { answerTokensMax: 300 }, 300],
    ["by its own below the ceiling", { max_tokens: 500 }, { answerTokensMax: 900 }, 500],
    [
      "by the ceiling below the request's",
      { max_tokens: 500 },
      { parameters: { max_tokens: 700 }, answerTokensMax: 600 },
      600,
    ],
    [
      "by the request's below the ceiling",
      { max_tokens: 500 },
      { parameters: { max_tokens: 100 }, answerTokensMax: 600 },
      100,
    ],
    [
      "by the ceiling, beside other parameters",
      {},
      { parameters: { temperature: 0 }, answerTokensMax: 42 },
      42,
    ],
  ];
  test.each(table)("%s", async (_name, own, request, expected) => {
    expect(await askedFor(kind, own, request)).toBe(expected);
    expect(await askedFor(kind, own, { ...request, stream: false })).toBe(expected);
  });
});
