import type { Pooling, Rows } from "../text-model.ts";
import type { Engine, EngineTensor } from "./engine.ts";
import type { Loaded } from "./loaded-models.ts";
import { ModelFault } from "./model-fault.ts";
import { pool } from "./pool.ts";
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
    const found = own ?? others.last_hidden_state ?? others.token_embeddings ?? Object.values(others)[0];
    const { data, dims } = floats(found);
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
