import { LatestMap } from "../../kit/latest-map.ts";
import type { StepReply, TextWindow } from "../process/messages.ts";
import type { Engine, EngineTensor } from "./engine.ts";
import { type Cache, generationFeeds, nextCache } from "./generation-feeds.ts";
import type { Loaded } from "./loaded-models.ts";
import { ModelFault } from "./model-fault.ts";
import { runSession } from "./run-model.ts";
import { floats } from "./text-rows.ts";
import type { TextEncoding } from "./tokenizers.ts";

/** Maximum answers with kept caches; for others all tokens are read again. */
const CACHES_MAX = 4;

/** Answers in progress. */
export class Generations {
  readonly #engine: Engine;
  readonly #caches = new LatestMap<string, { model: Loaded; read: number; cache: Cache }>(CACHES_MAX);

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Returns the most likely token after these, the smallest id if several are equal. Throws ModelFault. */
  async next(id: string, model: Loaded, tokens: readonly number[]): Promise<number> {
    const cacheOfId = this.#caches.get(id);
    const known = cacheOfId?.model === model && cacheOfId.read < tokens.length ? cacheOfId : undefined;
    this.#caches.delete(id);
    const past = known?.read ?? 0;
    const unread = tokens.slice(past);
    const outputs = await runSession(model, generationFeeds(this.#engine, model, unread, past, known?.cache));
    const cache = nextCache(model, outputs);
    if (cache !== undefined) this.#caches.set(id, { model, read: tokens.length, cache });
    return mostLikely(outputs.logits ?? outputs[model.outputs[0]?.name ?? ""]);
  }

  /** Releases the cache of an answer. */
  end(id: string): void {
    this.#caches.delete(id);
  }
}

function mostLikely(logits: EngineTensor | undefined): number {
  const { data, dims } = floats(logits);
  const width = dims.at(-1) ?? 0;
  if (dims.length < 2 || width === 0 || data.length < width) {
    throw new ModelFault("model_invalid", "does not give logits for the tokens of a vocabulary");
  }
  const start = data.length - width;
  let best = 0;
  for (let token = 1; token < width; token++) {
    if ((data[start + token] ?? 0) > (data[start + best] ?? 0)) best = token;
  }
  if (!Number.isFinite(data[start + best])) {
    throw new ModelFault("onnx_failed", "gave logits that are not numbers");
  }
  return best;
}

/** Character that a decoder emits for an incomplete character. */
const unfinished = "�";

/**
 * The text that becomes certain with a new token. A few earlier tokens are decoded with it, because decoding depends on neighbours (spaces,
 * characters of several tokens).
 */
export function shownText(
  encoding: TextEncoding,
  tokens: readonly number[],
  { from, to }: TextWindow,
  isLast = false,
): Omit<StepReply, "token"> {
  const before = encoding.decode(tokens.slice(from, to));
  const now = encoding.decode(tokens.slice(from));
  if (now.length <= before.length || (now.endsWith(unfinished) && !isLast)) {
    return { text: "", shown: { from, to } };
  }
  return { text: now.slice(before.length), shown: { from: to, to: tokens.length } };
}
