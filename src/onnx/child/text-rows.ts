import type { Pooling, Rows } from "../text-model.ts";
import type { Engine, EngineTensor } from "./engine.ts";
import type { Loaded } from "./loaded-models.ts";
import { ModelFault } from "./model-fault.ts";
import { runSession } from "./run-model.ts";
import { textBatches, textFeeds } from "./text-batches.ts";
import type { Encoded } from "./text-frame.ts";

/** Returns the row of a text in a batch, by its index there. */
type RowOf = (place: number, text: Encoded) => Float32Array;

/** One vector per text: pooled by the model itself, or pooled here from its tokens' vectors. Throws ModelFault. */
export function textVectors(
  engine: Engine,
  model: Loaded,
  texts: readonly Encoded[],
  ways: readonly Pooling[],
): Promise<Rows> {
  return textRows(engine, model, texts, (outputs) => {
    const { sentence_embedding: own, ...others } = outputs;
    const tensor = own ?? others.last_hidden_state ?? others.token_embeddings ?? Object.values(others)[0];
    const { data, dims } = floats(tensor);
    if (dims.length === 2) return (place) => rowOf(data, place, dims[1] ?? 0);
    if (dims.length !== 3) throw noOutput("a vector for each text or each of its tokens");
    const [, length = 0, width = 0] = dims;
    return (place, text) =>
      pool({ data, offset: place * length * width, length: Math.min(length, text.ids.length), width }, ways);
  });
}

/** The model's logits for each text. Throws ModelFault. */
export function textLogits(engine: Engine, model: Loaded, texts: readonly Encoded[]): Promise<Rows> {
  return textRows(engine, model, texts, (outputs) => {
    const { data, dims } = floats(outputs.logits ?? Object.values(outputs)[0]);
    if (dims.length === 1) return (place) => rowOf(data, place, 1);
    if (dims.length !== 2) throw noOutput("a row of logits for each text");
    return (place) => rowOf(data, place, dims[1] ?? 0);
  });
}

async function textRows(
  engine: Engine,
  model: Loaded,
  texts: readonly Encoded[],
  read: (outputs: Readonly<Record<string, EngineTensor>>) => RowOf,
): Promise<Rows> {
  const pads = model.inputs.some(({ name }) => name === "attention_mask");
  const rows: Float32Array[] = texts.map(() => new Float32Array(0));
  for (const { places, length } of textBatches(texts, pads)) {
    // Texts without tokens are not run.
    if (length === 0) continue;
    const batch = places.map((place) => texts[place] ?? { ids: [], types: [] });
    const outputs = await runSession(model, textFeeds(engine, model, batch, length));
    const rowAt = read(outputs);
    for (const [index, place] of places.entries())
      rows[place] = rowAt(index, batch[index] ?? { ids: [], types: [] });
  }
  const width = Math.max(0, ...rows.map((row) => row.length));
  const data = new Float32Array(width * rows.length);
  for (const [index, row] of rows.entries()) data.set(row, index * width);
  return { width, data };
}

const rowOf = (data: Float32Array, place: number, width: number) =>
  data.slice(place * width, (place + 1) * width);

/** Numbers of a floating-point output. */
export function floats(tensor: EngineTensor | undefined): { data: Float32Array; dims: readonly number[] } {
  if (tensor === undefined) throw noOutput("anything");
  const { data, dims, type } = tensor;
  if (data instanceof Float32Array) return { data, dims };
  if (type !== "float16" && type !== "float64") throw noOutput("floating-point numbers");
  return { data: Float32Array.from(data as Iterable<number>), dims };
}

const noOutput = (what: string) => new ModelFault("model_invalid", `does not give ${what}`);

/** Vectors of one text's tokens: `length` rows of `width` numbers from `offset` on, followed by padding. */
export interface TokenVectors {
  data: Float32Array;
  offset: number;
  length: number;
  width: number;
}

/** One vector per way of pooling, concatenated; zeros for a text without tokens. */
export function pool(tokens: TokenVectors, ways: readonly Pooling[]): Float32Array {
  const pooled = new Float32Array(tokens.width * ways.length);
  if (tokens.length === 0) return pooled;
  for (const [index, way] of ways.entries()) pooled.set(poolings[way](tokens), index * tokens.width);
  return pooled;
}

const poolings: Record<Pooling, (tokens: TokenVectors) => Float32Array> = {
  cls: (tokens) => row(tokens, 0),
  last: (tokens) => row(tokens, tokens.length - 1),
  max(tokens) {
    const most = row(tokens, 0).slice();
    for (let at = 1; at < tokens.length; at++) {
      const next = row(tokens, at);
      for (let i = 0; i < most.length; i++) most[i] = Math.max(most[i] ?? 0, next[i] ?? 0);
    }
    return most;
  },
  mean: (tokens) => weighted(tokens, () => 1, tokens.length),
  mean_sqrt_len: (tokens) => weighted(tokens, () => 1, Math.sqrt(tokens.length)),
  weighted_mean: (tokens) => weighted(tokens, (at) => at + 1, (tokens.length * (tokens.length + 1)) / 2),
};

function weighted(tokens: TokenVectors, weightAt: (at: number) => number, divisor: number): Float32Array {
  const sums = new Float64Array(tokens.width);
  for (let at = 0; at < tokens.length; at++) {
    const weight = weightAt(at) / divisor;
    const start = tokens.offset + at * tokens.width;
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + weight * (tokens.data[start + i] ?? 0);
  }
  return Float32Array.from(sums);
}

function row({ data, offset, width }: TokenVectors, at: number): Float32Array {
  return data.subarray(offset + at * width, offset + (at + 1) * width);
}
