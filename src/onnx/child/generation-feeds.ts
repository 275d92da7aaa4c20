import type { TensorSlot } from "../onnx-runtime.ts";
import type { Engine, EngineTensor } from "./engine.ts";
import type { Loaded } from "./loaded-models.ts";
import { ModelFault } from "./model-fault.ts";

/** Cached state of the tokens that a model has read, by input name. */
export type Cache = Readonly<Record<string, EngineTensor>>;

const pastPrefix = "past_key_values";
const presentPrefix = "present";

/** Returns true if the model can continue from a cache, so that each token is read once. */
export function hasCache({ inputs }: Loaded): boolean {
  return inputs.some(({ name }) => name.startsWith(pastPrefix));
}

/** Inputs with which a causal model reads `tokens` after the `past` ones in its cache. Throws ModelFault if it needs unusual inputs. */
export function generationFeeds(
  engine: Engine,
  model: Loaded,
  tokens: readonly number[],
  past: number,
  cache: Cache | undefined,
): Record<string, EngineTensor> {
  const count = tokens.length;
  const own: Readonly<Record<string, () => number[]>> = {
    input_ids: () => [...tokens],
    attention_mask: () => new Array(past + count).fill(1),
    position_ids: () => tokens.map((_, at) => past + at),
    token_type_ids: () => new Array(count).fill(0),
  };
  const feeds = model.inputs.map((slot): [string, EngineTensor] => {
    const { name } = slot;
    if (name.startsWith(pastPrefix)) return [name, cache?.[name] ?? emptyPast(engine, slot)];
    if (name === "use_cache_branch") return [name, new engine.Tensor("bool", [cache !== undefined], [1])];
    // Some models have an input for the number of logits to keep; only one row is read.
    if (/^num_logits_to_keep$|^logits_to_keep$/.test(name)) {
      return [name, integers(engine, slot, [1], slot.shape.length === 0 ? [] : [1])];
    }
    const values = own[name]?.();
    if (values === undefined) {
      throw new ModelFault(
        "model_invalid",
        `takes the input ${name}, which a model that continues text does not have`,
      );
    }
    return [name, integers(engine, slot, values, [1, values.length])];
  });
  return Object.fromEntries(feeds);
}

/** The cache in a call's outputs, for the next call; undefined for a model without one. */
export function nextCache(model: Loaded, outputs: Readonly<Record<string, EngineTensor>>): Cache | undefined {
  if (!hasCache(model)) return undefined;
  const cache: Record<string, EngineTensor> = {};
  for (const { name } of model.inputs) {
    if (!name.startsWith(pastPrefix)) continue;
    const present = outputs[presentPrefix + name.slice(pastPrefix.length)];
    if (present === undefined) {
      throw new ModelFault(
        "model_invalid",
        `takes ${name}, but does not give it back as ${presentPrefix}${name.slice(pastPrefix.length)}`,
      );
    }
    cache[name] = present;
  }
  return cache;
}

/** A cache of no tokens: the first variable dimension is the batch, the others are tokens. */
function emptyPast(engine: Engine, { type, shape }: TensorSlot): EngineTensor {
  const dims = shape.map((length, at) => (length >= 0 ? length : at === 0 ? 1 : 0));
  if (type === "float16") return new engine.Tensor("float16", new Float16Array(0) as never, dims);
  return new engine.Tensor("float32", new Float32Array(0), dims);
}

function integers(
  engine: Engine,
  { name, type }: TensorSlot,
  values: number[],
  dims: number[],
): EngineTensor {
  if (type === "int64") return new engine.Tensor("int64", BigInt64Array.from(values, BigInt), dims);
  if (type === "int32") return new engine.Tensor("int32", Int32Array.from(values), dims);
  throw new ModelFault(
    "model_invalid",
    `takes ${type} for ${name}, where a model that continues text takes integers`,
  );
}
