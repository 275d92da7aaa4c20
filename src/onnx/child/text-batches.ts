import type { Engine, EngineTensor } from "./engine.ts";
import type { Loaded } from "./loaded-models.ts";
import { ModelFault } from "./model-fault.ts";
import type { Encoded } from "./text-frame.ts";

/** Maximum tokens per batch, including padding, which bounds memory and the wait of other calls. */
const BATCH_TOKENS_MAX = 1024;

/** Indices of texts that are run together. */
export interface TextBatch {
  places: number[];
  /** Tokens of the longest text. */
  length: number;
}

/**
 * Groups texts of similar length, which minimizes padding. `pads`: the model has a mask for padding; otherwise only texts of equal length
 * are grouped.
 */
export function textBatches(texts: readonly Encoded[], pads: boolean): TextBatch[] {
  const order = texts.map((_, place) => place);
  const lengthOf = (place: number) => texts[place]?.ids.length ?? 0;
  order.sort((one, other) => lengthOf(other) - lengthOf(one));
  const batches: TextBatch[] = [];
  for (const place of order) {
    const last = batches.at(-1);
    const fits =
      last !== undefined &&
      (last.places.length + 1) * last.length <= BATCH_TOKENS_MAX &&
      (pads || last.length === lengthOf(place));
    if (fits) last.places.push(place);
    else batches.push({ places: [place], length: lengthOf(place) });
  }
  return batches;
}

/** Inputs of a text model by their usual names; throws ModelFault if it needs others. */
export function textFeeds(
  engine: Engine,
  { inputs }: Loaded,
  texts: readonly Encoded[],
  length: number,
): Record<string, EngineTensor> {
  const feeds = inputs.map(({ name, type }): [string, EngineTensor] => {
    const valueAt = fills[name];
    if (valueAt === undefined || (type !== "int64" && type !== "int32")) {
      throw new ModelFault(
        "model_invalid",
        `takes the input ${name} (${type}), which a text model does not have`,
      );
    }
    const values = texts.flatMap((text) => Array.from({ length }, (_, at) => valueAt(text, at)));
    const data = type === "int64" ? BigInt64Array.from(values, BigInt) : Int32Array.from(values);
    return [name, new engine.Tensor(type as "int64", data as BigInt64Array, [texts.length, length])];
  });
  return Object.fromEntries(feeds);
}

/** Any token works, because the mask hides it. */
const padding = 0;

type Fill = (text: Encoded, at: number) => number;

const fills: Readonly<Record<string, Fill>> = {
  input_ids: ({ ids }, at) => ids[at] ?? padding,
  attention_mask: ({ ids }, at) => (at < ids.length ? 1 : 0),
  token_type_ids: ({ types }, at) => types[at] ?? 0,
  position_ids: (_, at) => at,
};
