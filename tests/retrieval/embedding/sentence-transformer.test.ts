import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { AppError } from "../../../src/kit/app-error.ts";
import type { Embedder, EmbedderSettings } from "../../../src/retrieval/embedding/embedder.ts";
import { createSentenceTransformer } from "../../../src/retrieval/embedding/sentence-transformer.ts";
import { endlessModel, linearModel, never, type OnnxFolder, onnxFolder } from "../../support/onnx-folder.ts";
import {
  idOf,
  pooledModel,
  sentenceModel,
  vectorOf,
  width,
  wordTokenizer,
} from "../../support/text-models.ts";

let folder: OnnxFolder;
beforeAll(() => {
  folder = onnxFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** Writes a model's folder and opens it. */
function embedderOf(
  name: string,
  files: Record<string, Uint8Array | string | object> = {},
  settings: Partial<EmbedderSettings> = {},
): Embedder {
  const all = { "model.onnx": sentenceModel(), "tokenizer.json": wordTokenizer, ...files };
  for (const [path, content] of Object.entries(all)) folder.write(`${name}/${path}`, content);
  return createSentenceTransformer(
    { provider: "sentence_transformer", model: name, ...settings },
    { onnx: folder.runtime },
  );
}

const embed = (embedder: Embedder, ...texts: string[]) => embedder.embed(texts, "document", never);

const framed = (...tokens: string[]) => ["[CLS]", ...tokens, "[SEP]"].map(idOf);

function unit(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

const mean = (ids: readonly number[]) =>
  unit(
    Array.from(
      { length: width },
      (_, at) => ids.reduce((sum, id) => sum + (vectorOf(id)[at] ?? 0), 0) / ids.length,
    ),
  );

function expectVectors(found: Float32Array, ...wanted: number[][]) {
  expect(found.length).toBe(wanted.flat().length);
  for (const [at, value] of wanted.flat().entries()) expect(found[at] ?? Number.NaN).toBeCloseTo(value, 5);
}

function faultOf(work: () => unknown): AppError {
  try {
    work();
  } catch (thrown) {
    return thrown as AppError;
  }
  throw new Error("it did not fail");
}

const failureOf = (call: Promise<unknown>): Promise<AppError> =>
  call.then(
    () => {
      throw new Error("it did not fail");
    },
    (thrown) => thrown,
  );

test("texts become the mean of their tokens, of length 1, in their order", async () => {
  const embedder = embedderOf("mean");
  const vectors = await embed(embedder, "The cat sat on the mat", "dogs ran", "the", "Unknown");
  expectVectors(
    vectors,
    mean(framed("the", "cat", "sat", "on", "the", "mat")),
    mean(framed("dog", "##s", "ran")),
    mean(framed("the")),
    mean(framed("[UNK]")),
  );
  expect(await embedder.dimension(never)).toBe(width);
  expect(embedder).toMatchObject({ isLexical: false, defaultThreshold: 0.3 });
});

const tokens = framed("cat", "ran");
const rows = tokens.map(vectorOf);
const column = (at: number) => rows.map((row) => row[at] ?? 0);
const columns = Array.from({ length: width }, (_, at) => column(at));
const most = columns.map((values) => Math.max(...values));

test.each<[string, Record<string, unknown>, number[]]>([
  ["cls", { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false }, rows[0] ?? []],
  ["max", { pooling_mode_max_tokens: true }, most],
  ["mean over the root of the length", { pooling_mode_mean_sqrt_len_tokens: true }, mean(tokens)],
  [
    "weighted mean",
    { pooling_mode_weightedmean_tokens: true },
    columns.map((values) => values.reduce((sum, value, at) => sum + value * (at + 1), 0)),
  ],
  ["last token", { pooling_mode_lasttoken: true }, rows.at(-1) ?? []],
  ["the newer name of one", { pooling_mode: "cls" }, rows[0] ?? []],
  [
    "two at once",
    { pooling_mode_cls_token: true, pooling_mode_max_tokens: true },
    [...(rows[0] ?? []), ...most],
  ],
])("pooling: %s", async (name, config, wanted) => {
  const embedder = embedderOf(`pool ${name}`, { "1_Pooling/config.json": config });
  // With another text of a different length, so that there is padding.
  const vectors = await embed(embedder, "cat ran", "the cat sat on the mat");
  expectVectors(vectors.subarray(0, wanted.length), unit(wanted));
  expect(await embedder.dimension(never)).toBe(wanted.length);
});

test("a model that pools by itself is taken at its word", async () => {
  const vectors = await embed(embedderOf("pooled", { "model.onnx": pooledModel }), "cat", "the dog ran");
  expectVectors(vectors, mean(framed("cat")), mean(framed("the", "dog", "ran")));
});

test("a model without a mask gets texts of one length at a time", async () => {
  const embedder = embedderOf("maskless", { "model.onnx": sentenceModel(["input_ids"]) });
  const vectors = await embed(embedder, "cat", "the dog ran", "mat");
  expectVectors(vectors, mean(framed("cat")), mean(framed("the", "dog", "ran")), mean(framed("mat")));
});

test("the model may lie in a folder onnx, and queries and passages have their prompts", async () => {
  const embedder = embedderOf("prompts", {
    "onnx/model.onnx": sentenceModel(),
    "config_sentence_transformers.json": { prompts: { query: "query: ", passage: "passage: " } },
  });
  rmSync(join(folder.path, "prompts/model.onnx"));
  expectVectors(await embedder.embed(["cat"], "query", never), mean(framed("query", ":", "cat")));
  expectVectors(await embedder.embed(["cat"], "document", never), mean(framed("passage", ":", "cat")));
});

describe("long texts", () => {
  const limited = { "sentence_bert_config.json": { max_seq_length: 5 } };

  test("are cut after the tokens that the model reads", async () => {
    const embedder = embedderOf("short", limited);
    const cut = mean(framed("the", "cat", "sat"));
    expectVectors(await embed(embedder, "the cat sat on the mat", "the cat sat"), cut, cut);
  });

  test.each<[string, Record<string, object>, number]>([
    [
      "of sentence_bert_config.json",
      { "sentence_bert_config.json": { max_seq_length: 4 }, "config.json": { max_position_embeddings: 8 } },
      4,
    ],
    ["of the tokenizer", { "tokenizer_config.json": { model_max_length: 4 } }, 4],
    ["of the model", { "config.json": { max_position_embeddings: 4 } }, 4],
    [
      "of models that count from the padding on",
      { "config.json": { model_type: "roberta", max_position_embeddings: 6, pad_token_id: 1 } },
      4,
    ],
    ["of nobody", { "tokenizer_config.json": { model_max_length: 1e30 } }, 512],
  ])("by the limit %s", async (name, files, limit) => {
    const embedder = embedderOf(`limit ${name}`, files);
    const kept = Array.from({ length: limit - 2 }, () => "cat");
    expectVectors(await embed(embedder, "cat ".repeat(limit + 100)), mean(framed(...kept)));
  });

  test.each([
    ["8 MiB of words", "the cat ".repeat(2 ** 20)],
    ["one word of 5 MB", "x".repeat(5_000_000)],
    ["5 MB of emoji", "👩‍👩‍👧‍👦".repeat(200_000)],
    ["5 MB of blanks and a word", `${" ".repeat(5_000_000)}cat`],
  ])("%s", async (_, text) => {
    const vectors = await embed(embedderOf("long", limited), text);
    expect(vectors).toHaveLength(width);
    expect(Math.hypot(...vectors)).toBeCloseTo(1, 5);
  });
});

test("a text that says nothing is zeros, among others and alone", async () => {
  const embedder = embedderOf("silent");
  const nothing = new Array(width).fill(0);
  expectVectors(await embed(embedder, "", "cat", " \n\t"), nothing, mean(framed("cat")), nothing);
  expectVectors(await embed(embedder, "", ""), nothing, nothing);
  expect(await embed(embedder)).toHaveLength(0);
});

test("any text has a vector: NUL, right to left, halves of characters", async () => {
  const vectors = await embed(embedderOf("odd"), "a\0b", "שלום עולם", "\ud83d", "cat\u202e");
  expect(vectors).toHaveLength(4 * width);
  expect([...vectors].every(Number.isFinite)).toBe(true);
});

test("a tokenizer of another family, with another frame", async () => {
  const pieces = ["<s>", "<pad>", "</s>", "<unk>", "▁cat", "▁ran", "s", "▁"];
  const tokenizer = {
    ...wordTokenizer,
    added_tokens: [],
    normalizer: null,
    pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", add_prefix_space: true },
    post_processor: {
      type: "RobertaProcessing",
      cls: ["<s>", 0],
      sep: ["</s>", 2],
      trim_offsets: true,
      add_prefix_space: false,
    },
    decoder: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", add_prefix_space: true },
    model: { type: "Unigram", unk_id: 3, vocab: pieces.map((piece, at) => [piece, -at]) },
  };
  const ids = (...tokens: string[]) => tokens.map((token) => pieces.indexOf(token));
  const embedder = embedderOf("unigram", {
    "tokenizer.json": tokenizer,
    "sentence_bert_config.json": { max_seq_length: 5 },
  });
  expectVectors(
    await embed(embedder, "cats ran", "cat cat cat cat cat"),
    mean(ids("<s>", "▁cat", "s", "▁ran", "</s>")),
    mean(ids("<s>", "▁cat", "▁cat", "▁cat", "</s>")),
  );
});

test("many texts are as good as one at a time", async () => {
  const embedder = embedderOf("many");
  const texts = Array.from({ length: 300 }, (_, at) =>
    ["cat", "dog", "mat", "ran"].slice(0, (at % 4) + 1).join(" "),
  );
  const together = await embed(embedder, ...texts);
  for (const at of [0, 1, 2, 3, 127, 299]) {
    const alone = await embed(embedder, texts[at] ?? "");
    expectVectors(together.subarray(at * width, (at + 1) * width), [...alone]);
  }
});

test("the id is of the files: another model, tokenizer or pooling is another embedder", async () => {
  const embedder = embedderOf("id");
  const first = embedder.id;
  expect(first).toMatch(/^sentence_transformer\/id@[0-9a-f]{16}$/);
  expect(embedderOf("id").id).toBe(first);
  const seen = new Set([first]);
  for (const [path, content] of [
    ["model.onnx", pooledModel],
    ["tokenizer.json", { ...wordTokenizer, normalizer: null }],
    ["1_Pooling/config.json", { pooling_mode_cls_token: true }],
  ] as const) {
    folder.write(`id/${path}`, content);
    seen.add(embedder.id);
  }
  expect(seen.size).toBe(4);
  // The new file is used.
  folder.write("id/model.onnx", sentenceModel());
  expectVectors(await embed(embedder, "cat"), unit(vectorOf(idOf("[CLS]"))));
});

describe("what can't be honoured is refused by its key", () => {
  const settings = { provider: "sentence_transformer", model: "mean" };
  const open = (more: Partial<EmbedderSettings>) => () =>
    createSentenceTransformer({ ...settings, ...more }, { onnx: folder.runtime });

  test.each<[string, Partial<EmbedderSettings>, string, RegExp]>([
    ["no model", { model: undefined }, "model", /name the folder/],
    [
      "a model that isn't there",
      { model: "nowhere" },
      "model",
      /no model\.onnx or onnx\/model\.onnx in <data>\/models\/nowhere.*Put model\.onnx/,
    ],
    ["a way out", { model: "../../etc" }, "model", /can't be used/],
    ["the folder itself", { model: "." }, "model", /can't be used/],
    ["an empty name", { model: "" }, "model", /can't be used/],
    ["an endpoint", { endpoint: "http://x" }, "endpoint", /remove it/],
    ["a key", { api_key_env: "KEY" }, "api_key_env", /remove it/],
  ])("%s", (_, more, path, message) => {
    embedderOf("mean");
    const fault = faultOf(open(more));
    expect(fault).toMatchObject({ code: "invalid_manifest" });
    expect(fault.details.problems?.[0]).toEqual({ path, message: expect.stringMatching(message) });
  });

  test("a dimension that its files contradict, and one that only the model does", async () => {
    const config = { "1_Pooling/config.json": { word_embedding_dimension: width } };
    const fault = faultOf(() => embedderOf("dimension", config, { dimension: 8 }));
    expect(fault.details.problems?.[0]).toMatchObject({
      path: "dimension",
      message: expect.stringMatching(/have 4 numbers, not 8/),
    });
    const silent = embedderOf("dimension untold", {}, { dimension: 8 });
    expect(await failureOf(embed(silent, "cat"))).toMatchObject({ status: 502, code: "embedder_failed" });
    expect(await embed(embedderOf("dimension told", config, { dimension: width }), "cat")).toHaveLength(
      width,
    );
  });

  test.each<[string, Record<string, object | string>, RegExp]>([
    [
      "a layer after the pooling",
      {
        "modules.json": [
          { type: "sentence_transformers.models.Transformer" },
          { type: "sentence_transformers.models.Dense" },
        ],
      },
      /Dense/,
    ],
    ["a pooling nobody knows", { "1_Pooling/config.json": { pooling_mode_magic: true } }, /not known/],
    [
      "prompts that are to be left out",
      {
        "1_Pooling/config.json": { include_prompt: false },
        "config_sentence_transformers.json": { prompts: { query: "q" } },
      },
      /include_prompt/,
    ],
    ["configuration that is not JSON", { "config.json": "{" }, /not a JSON file/],
  ])("%s", (name, files, message) => {
    const fault = faultOf(() => embedderOf(`refused ${name}`, files));
    expect(fault.details.problems?.[0]).toEqual({ path: "model", message: expect.stringMatching(message) });
  });
});

describe("a model that can't do it", () => {
  test.each<[string, Record<string, Uint8Array | object | string>, RegExp]>([
    ["is not ONNX", { "model.onnx": "no" }, /can't be loaded/],
    ["takes other inputs", { "model.onnx": linearModel }, /takes the input x/],
    ["has a tokenizer that is none", { "tokenizer.json": { model: {} } }, /not a tokenizer/],
    ["has a tokenizer that is not JSON", { "tokenizer.json": "{" }, /not a tokenizer/],
  ])("%s", async (name, files, message) => {
    const failure = await failureOf(embed(embedderOf(`unable ${name}`, files), "cat"));
    expect(failure).toMatchObject({
      status: 502,
      code: "embedder_failed",
      message: expect.stringMatching(message),
    });
  });

  test("find its files fails with 502 and names the folder, and works once they are back", async () => {
    const embedder = embedderOf("gone");
    const { id } = embedder;
    rmSync(join(folder.path, "gone"), { recursive: true });
    expect(await failureOf(embed(embedder, "cat"))).toMatchObject({
      code: "embedder_failed",
      message: expect.stringMatching(/<data>\/models\/gone/),
    });
    expect(embedder.id).toBe(id);
    embedderOf("gone");
    expect(await embed(embedder, "cat")).toHaveLength(width);
  });
});

test("without a process for models embedding is 503", async () => {
  await using other = onnxFolder({ childCommand: ["/nonexistent"] });
  other.write("m/model.onnx", sentenceModel());
  other.write("m/tokenizer.json", wordTokenizer);
  const embedder = createSentenceTransformer(
    { provider: "sentence_transformer", model: "m" },
    { onnx: other.runtime },
  );
  expect(await failureOf(embed(embedder, "cat"))).toMatchObject({
    status: 503,
    code: "embedder_unavailable",
  });
});

test("who leaves hears so at once", async () => {
  folder.write("endless.onnx", endlessModel);
  const endless = await folder.runtime.open("endless.onnx", never);
  const holding = new AbortController();
  const held = endless
    .run({ x: { type: "float32", shape: [1], data: Float32Array.of(1) } }, holding.signal)
    .catch(() => {});
  const leaving = new AbortController();
  const left = failureOf(embedderOf("left").embed(["cat"], "query", leaving.signal));
  leaving.abort(new Error("I must go"));
  expect((await left).message).toBe("I must go");
  holding.abort(new Error("enough"));
  await held;
});
