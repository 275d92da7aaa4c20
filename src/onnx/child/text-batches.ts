import type { Engine, EngineTensor } from "./engine.ts";
import type { Loaded } from "./loaded-models.ts";
import { ModelFault } from "./model-fault.ts";
import type { Encoded } from "./text-frame.ts";

/** Tokens, padding counted, that go through a model at once: memory grows with them, and another call waits for them. */
const BATCH_TOKENS_MAX = 1024;

/** Texts that go through a model at once, by their place among all. */
export interface TextBatch {
  places: number[];
  /** Tokens of the longest. */
  length: number;
}

/**
 * Texts of like length together, so that little is padded. `pads`: whether the model can be told what is padding; else only
 * texts of equal length may go together.
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

/** What a model that reads texts is fed, by the names that are usual; throws ModelFault when it wants anything else. */
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

/** Any token will do: the mask hides it. */
const padding = 0;

type Fill = (text: Encoded, at: number) => number;

const fills: Readonly<Record<string, Fill>> = {
  input_ids: ({ ids }, at) => ids[at] ?? padding,
  attention_mask: ({ ids }, at) => (at < ids.length ? 1 : 0),
  token_type_ids: ({ types }, at) => types[at] ?? 0,
  position_ids: (_, at) => at,
};
