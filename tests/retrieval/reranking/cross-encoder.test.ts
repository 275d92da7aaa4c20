import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AppError } from "../../../src/kit/app-error.ts";
import { createCrossEncoder } from "../../../src/retrieval/reranking/cross-encoder.ts";
import type { RerankerSettings } from "../../../src/retrieval/reranking/reranker.ts";
import { never, type OnnxFolder, onnxFolder } from "../../support/onnx-folder.ts";
import { onnxModel } from "../../support/onnx-model.ts";
import { idOf, pairModel, sentenceModel, wordTokenizer } from "../../support/text-models.ts";

let folder: OnnxFolder;
beforeAll(() => {
  folder = onnxFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

function rerankerOf(name: string, files: Record<string, Uint8Array | string | object> = {}) {
  const all = { "model.onnx": pairModel, "tokenizer.json": wordTokenizer, ...files };
  for (const [path, content] of Object.entries(all)) folder.write(`${name}/${path}`, content);
  return createCrossEncoder({ provider: "cross_encoder", model: name }, { onnx: folder.runtime });
}

const ids = (...tokens: string[]) => tokens.reduce((sum, token) => sum + idOf(token), 0);
/** The test model's formula: `[CLS]`, query and `[SEP]` against text and `[SEP]`. */
const scoreOf = (query: string[], text: string[]) =>
  1 / (1 + Math.exp(-(ids(...text, "[SEP]") - ids("[CLS]", ...query, "[SEP]")) / 10));

const failureOf = (call: Promise<unknown>): Promise<AppError> =>
  call.then(
    () => {
      throw new Error("it did not fail");
    },
    (thrown) => thrown,
  );

test("each text is scored with the query, in their order", async () => {
  const texts = ["the dog ran", "mat", "", "the cat sat on the mat"];
  const scores = await rerankerOf("pairs").score("cat", texts, never);
  const wanted = [["the", "dog", "ran"], ["mat"], [], ["the", "cat", "sat", "on", "the", "mat"]];
  expect(scores).toHaveLength(4);
  for (const [at, text] of wanted.entries())
    expect(scores[at] ?? Number.NaN).toBeCloseTo(scoreOf(["cat"], text), 5);
  expect(await rerankerOf("pairs").score("cat", [], never)).toEqual([]);
});

test.each<[string, string[], string[], string[], string[]]>([
  ["a long text", ["cat"], ["the", "cat", "sat", "on", "mat"], ["cat"], ["the", "cat", "sat", "on"]],
  ["a long query", ["the", "cat", "sat", "on", "mat"], ["dog"], ["the", "cat", "sat", "on"], ["dog"]],
  ["both", ["the", "cat", "sat", "on"], ["mat", "dog", "ran", "the"], ["the", "cat"], ["mat", "dog", "ran"]],
])("%s is cut to what the model reads, the longer first", async (name, query, text, keptQuery, keptText) => {
  const reranker = rerankerOf(`cut ${name}`, { "config.json": { max_position_embeddings: 8 } });
  const [score = Number.NaN] = await reranker.score(query.join(" "), [text.join(" ")], never);
  expect(score).toBeCloseTo(scoreOf(keptQuery, keptText), 5);
});

const constantLogits = (...logits: number[]) =>
  onnxModel({
    inputs: [{ name: "input_ids", type: "int64", shape: ["batch", "length"] }],
    outputs: [{ name: "logits", type: "float32", shape: [1, logits.length] }],
    constants: [{ name: "c", type: "float32", shape: [1, logits.length], data: logits }],
    nodes: [{ op: "Identity", inputs: ["c"], outputs: ["logits"] }],
  });

test("of two logits the second counts against the first", async () => {
  const reranker = rerankerOf("two", { "model.onnx": constantLogits(1, 3) });
  const [score = Number.NaN] = await reranker.score("cat", ["mat"], never);
  expect(score).toBeCloseTo(1 / (1 + Math.exp(-2)), 5);
});

test.each<[string, Uint8Array | string, RegExp]>([
  ["more logits", constantLogits(1, 2, 3), /3 numbers/],
  ["no number", constantLogits(Number.NaN), /no number/],
  ["vectors of tokens", sentenceModel(), /does not give a row of logits/],
  ["nothing that can be loaded", "no", /can't be loaded/],
])("a model with %s fails", async (name, model, message) => {
  const failure = await failureOf(
    rerankerOf(`bad ${name}`, { "model.onnx": model }).score("cat", ["mat"], never),
  );
  expect(failure).toMatchObject({
    status: 502,
    code: "reranker_failed",
    message: expect.stringMatching(message),
  });
});

test.each<[string, Partial<RerankerSettings>, string]>([
  ["no model", { model: undefined }, "model"],
  ["a model that isn't there", { model: "nowhere" }, "model"],
  ["a way out", { model: "../x" }, "model"],
  ["a key", { api_key_env: "KEY" }, "api_key_env"],
])("%s is refused by its key", (_, more, path) => {
  rerankerOf("pairs");
  const open = () =>
    createCrossEncoder({ provider: "cross_encoder", model: "pairs", ...more }, { onnx: folder.runtime });
  expect(open).toThrow(
    expect.objectContaining({
      code: "invalid_manifest",
      details: { problems: [expect.objectContaining({ path })] },
    }),
  );
});

test("who has left already asks nothing", async () => {
  const failure = await failureOf(
    rerankerOf("pairs").score("cat", ["mat"], AbortSignal.abort(new Error("gone"))),
  );
  expect(failure.message).toBe("gone");
});
