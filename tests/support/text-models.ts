import { type Constant, type Node, onnxModel, type Slot } from "./onnx-model.ts";

/* Folders of models that read or continue text, of a few kilobytes. Their results are simple enough for a test to compute again. */

/** The words of the sentence models' vocabulary, after the special tokens. */
export const words = [
  "the",
  "cat",
  "sat",
  "on",
  "mat",
  "dog",
  "ran",
  "##s",
  "query",
  ":",
  "passage",
] as const;
const vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ...words];

/** Returns the id of a token of the sentence models. */
export const idOf = (token: string) => vocabulary.indexOf(token);

const special = (names: readonly string[]) =>
  names.map((content, id) => ({
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));

const framePart = (id: string, type: number) => ({ SpecialToken: { id, type_id: type } });
const textPart = (id: "A" | "B", type: number) => ({ Sequence: { id, type_id: type } });

/** tokenizer.json of a model like BERT: lower case, words and their parts, `[CLS] … [SEP]`. */
export const wordTokenizer = {
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: special(vocabulary.slice(0, 4)),
  normalizer: {
    type: "BertNormalizer",
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: {
    type: "TemplateProcessing",
    single: [framePart("[CLS]", 0), textPart("A", 0), framePart("[SEP]", 0)],
    pair: [
      framePart("[CLS]", 0),
      textPart("A", 0),
      framePart("[SEP]", 0),
      textPart("B", 1),
      framePart("[SEP]", 1),
    ],
    special_tokens: {
      "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
      "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
    },
  },
  decoder: { type: "WordPiece", prefix: "##", cleanup: true },
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(vocabulary.map((token, id) => [token, id])),
  },
};

export const width = 4;

/** Returns the vector of a token in the sentence models. */
export const vectorOf = (id: number): number[] =>
  Array.from({ length: width }, (_, at) => Math.fround(Math.sin(id * 7 + at * 3)));

const table: Constant = {
  name: "table",
  type: "float32",
  shape: [vocabulary.length, width],
  data: vocabulary.flatMap((_, id) => vectorOf(id)),
};

const integers = (name: string): Slot => ({ name, type: "int64", shape: ["batch", "length"] });

/** Returns each token's vector. Unused `inputs` are accepted, as by real models. */
export const sentenceModel = (
  inputs: readonly string[] = ["input_ids", "attention_mask", "token_type_ids"],
) =>
  onnxModel({
    inputs: inputs.map(integers),
    outputs: [{ name: "last_hidden_state", type: "float32", shape: ["batch", "length", width] }],
    constants: [table],
    nodes: [{ op: "Gather", inputs: ["table", "input_ids"], outputs: ["last_hidden_state"] }],
  });

/** Returns one vector per text: the sum of its tokens' vectors, without padding. */
export const pooledModel = onnxModel({
  inputs: [integers("input_ids"), integers("attention_mask")],
  outputs: [
    { name: "token_embeddings", type: "float32", shape: ["batch", "length", width] },
    { name: "sentence_embedding", type: "float32", shape: ["batch", width] },
  ],
  constants: [
    table,
    { name: "last", type: "int64", shape: [1], data: [2] },
    { name: "middle", type: "int64", shape: [1], data: [1] },
  ],
  nodes: [
    { op: "Gather", inputs: ["table", "input_ids"], outputs: ["token_embeddings"] },
    { op: "Cast", inputs: ["attention_mask"], outputs: ["mask"], attributes: { to: 1 } },
    { op: "Unsqueeze", inputs: ["mask", "last"], outputs: ["wide"] },
    { op: "Mul", inputs: ["token_embeddings", "wide"], outputs: ["masked"] },
    {
      op: "ReduceSum",
      inputs: ["masked", "middle"],
      outputs: ["sentence_embedding"],
      attributes: { keepdims: 0 },
    },
  ],
});

/** Scores a pair: the sum of the ids of its second text's tokens, minus that of its first's, divided by ten. */
export const pairModel = onnxModel({
  inputs: [integers("input_ids"), integers("attention_mask"), integers("token_type_ids")],
  outputs: [{ name: "logits", type: "float32", shape: ["batch", 1] }],
  constants: [
    { name: "two", type: "float32", shape: [], data: [2] },
    { name: "one", type: "float32", shape: [], data: [1] },
    { name: "ten", type: "float32", shape: [], data: [10] },
    { name: "axis", type: "int64", shape: [1], data: [1] },
  ],
  nodes: [
    { op: "Cast", inputs: ["input_ids"], outputs: ["ids"], attributes: { to: 1 } },
    { op: "Cast", inputs: ["attention_mask"], outputs: ["mask"], attributes: { to: 1 } },
    { op: "Cast", inputs: ["token_type_ids"], outputs: ["types"], attributes: { to: 1 } },
    { op: "Mul", inputs: ["types", "two"], outputs: ["twice"] },
    { op: "Sub", inputs: ["twice", "one"], outputs: ["signs"] },
    { op: "Mul", inputs: ["ids", "signs"], outputs: ["signed"] },
    { op: "Mul", inputs: ["signed", "mask"], outputs: ["counted"] },
    { op: "Div", inputs: ["counted", "ten"], outputs: ["parts"] },
    { op: "ReduceSum", inputs: ["parts", "axis"], outputs: ["logits"], attributes: { keepdims: 1 } },
  ],
});

/** The characters for bytes in byte-level vocabularies. */
const byteCharacters = (() => {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(printable(byte) ? byte : next++));
})();

/** The token that ends an answer of the speaking models: the one after the 256 bytes. */
export const endToken = 256;
const turnToken = 257;
const speakingSize = 258;

/** tokenizer.json whose tokens are the bytes of UTF-8, `<end>` and `<turn>`. */
export const byteTokenizer = {
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: special(["<end>", "<turn>"]).map((token) => ({ ...token, id: token.id + endToken })),
  normalizer: null,
  pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: true },
  post_processor: null,
  decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
  model: {
    type: "BPE",
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: false,
    byte_fallback: false,
    vocab: Object.fromEntries(byteCharacters.map((character, byte) => [character, byte])),
    merges: [],
  },
};

/** tokenizer_config.json for it. */
export const byteTokenizerConfig = {
  eos_token: "<end>",
  added_tokens_decoder: {
    [endToken]: { content: "<end>", special: true },
    [turnToken]: { content: "<turn>", special: true },
  },
};

/** Returns a speaking model's token at each position: the bytes of the text, then the end. */
function script(text: string, from: number, length: number): number[] {
  const bytes = [...new TextEncoder().encode(text), endToken];
  return Array.from({ length }, (_, place) => bytes[place - from] ?? endToken);
}

/** Returns logits: a row for each position, 1 for the token and 0 for the others. */
const scriptTable = (tokens: readonly number[]): Constant => ({
  name: "script",
  type: "float32",
  shape: [tokens.length, speakingSize],
  data: tokens.flatMap((token) => Array.from({ length: speakingSize }, (_, id) => (id === token ? 1 : 0))),
});

const scalar = (name: string, value: number): Constant => ({ name, type: "int64", shape: [], data: [value] });
const list = (name: string, ...data: number[]): Constant => ({
  name,
  type: "int64",
  shape: [data.length],
  data,
});

/**
 * Says `text` after any prompt of `promptLength` tokens: only the position decides. With a cache, it finds the position by the cached data,
 * so that a lost or duplicated cache changes the text.
 */
export function speakingModel(
  text: string,
  promptLength: number,
  kind: "plain" | "cache" | "merged" = "plain",
): Uint8Array<ArrayBuffer> {
  const tokens = script(text, promptLength, promptLength + 300);
  const inputs: Slot[] = [integers("input_ids"), integers("attention_mask")];
  const outputs: Slot[] = [{ name: "logits", type: "float32", shape: ["batch", "rows", speakingSize] }];
  const constants = [scriptTable(tokens), scalar("at", kind === "plain" ? 1 : 2), list("ends", 0, 1)];
  const nodes: Node[] = [];
  if (kind === "plain") {
    inputs.push(integers("position_ids"));
    nodes.push({ op: "Shape", inputs: ["input_ids"], outputs: ["shape"] });
  } else {
    const cached = (name: string): Slot => ({ name, type: "float32", shape: ["batch", 1, "past", 1] });
    inputs.push(cached("past_key_values.0.key"));
    outputs.push(cached("present.0.key"));
    constants.push(list("around", 1, 3));
    nodes.push(
      { op: "Cast", inputs: ["input_ids"], outputs: ["ids"], attributes: { to: 1 } },
      { op: "Unsqueeze", inputs: ["ids", "around"], outputs: ["keys"] },
      {
        op: "Concat",
        inputs: ["past_key_values.0.key", "keys"],
        outputs: ["present.0.key"],
        attributes: { axis: 2 },
      },
      { op: "Shape", inputs: ["present.0.key"], outputs: ["shape"] },
    );
    if (kind === "merged") inputs.push({ name: "use_cache_branch", type: "bool", shape: [1] });
  }
  nodes.push(
    { op: "Gather", inputs: ["shape", "at"], outputs: ["place"] },
    { op: "Gather", inputs: ["script", "place"], outputs: ["row"] },
    { op: "Unsqueeze", inputs: ["row", "ends"], outputs: ["logits"] },
  );
  return onnxModel({ inputs, outputs, constants, nodes });
}
