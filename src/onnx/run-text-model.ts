import type { ModelFile } from "./model-file.ts";
import type { FileRef, StepReply, TextWindow, TokenizerRef } from "./process/messages.ts";
import type { OnnxCalls } from "./process/onnx-process.ts";
import type { Generation, Rows, TextModel } from "./text-model.ts";
import type { TextModelFiles } from "./text-model-files.ts";

/** Limits of one request, about a thousand tokens, so that other callers get their turn. */
const PART_TEXTS_MAX = 32;
const PART_CHARS_MAX = 4096;
/** Tokens of the prompt that are decoded again with the first of the answer. */
const CONTEXT_TOKENS = 4;

/** Creates the text model of these files, run in that process. */
export function createTextModel(
  process: OnnxCalls,
  root: string,
  files: TextModelFiles,
  newGeneration: () => string,
): TextModel {
  const refOf = ({ name, path, stamp }: ModelFile): FileRef => ({ root, name, path, stamp });
  const model = refOf(files.model);
  const tokenizer: TokenizerRef = {
    file: refOf(files.tokenizer),
    ...(files.tokenizerConfig && { config: refOf(files.tokenizerConfig) }),
  };

  return {
    model: files.model,
    vectors: (texts, { pooling, tokensMax }, signal) =>
      inParts(
        texts,
        (text) => text.length,
        (part) => process.call({ op: "vectors", model, tokenizer, texts: part, tokensMax, pooling }, signal),
      ),
    logits: (pairs, { tokensMax }, signal) =>
      inParts(
        pairs,
        ([one, other]) => one.length + other.length,
        (part) => process.call({ op: "logits", model, tokenizer, pairs: part, tokensMax }, signal),
      ),
    tokens: (text, { special }, signal) => process.call({ op: "tokens", tokenizer, text, special }, signal),
    generate: (prompt) => startGeneration(process, model, tokenizer, newGeneration(), prompt),
  };
}

/** Sends a bounded number of texts at a time, grouped by similar length, and restores the order of the rows. */
async function inParts<T>(
  items: readonly T[],
  sizeOf: (item: T) => number,
  ask: (part: readonly T[]) => Promise<Rows>,
): Promise<Rows> {
  const places = items.map((item, place) => ({ item, place, size: sizeOf(item) }));
  places.sort((one, other) => other.size - one.size);
  const parts: { part: typeof places; rows: Rows }[] = [];
  for (let at = 0; at < places.length; ) {
    const part = places.slice(at, at + partLength(places, at));
    parts.push({ part, rows: await ask(part.map(({ item }) => item)) });
    at += part.length;
  }
  // If no text of a part has content, its rows are empty and remain zeros.
  const width = Math.max(0, ...parts.map(({ rows }) => rows.width));
  const data = new Float32Array(items.length * width);
  for (const { part, rows } of parts) {
    if (rows.width !== width) continue;
    for (const [row, { place }] of part.entries()) {
      data.set(rows.data.subarray(row * width, (row + 1) * width), place * width);
    }
  }
  return { width, data };
}

/** Number of texts, starting at `from`, for one request; at least one. */
function partLength(places: readonly { size: number }[], from: number): number {
  let length = 0;
  let chars = 0;
  for (const { size } of places.slice(from, from + PART_TEXTS_MAX)) {
    chars += size;
    if (chars > PART_CHARS_MAX && length > 0) break;
    length++;
  }
  return length;
}

function startGeneration(
  process: OnnxCalls,
  model: FileRef,
  tokenizer: TokenizerRef,
  generation: string,
  prompt: readonly number[],
): Generation {
  const tokens = [...prompt];
  let shown: TextWindow = { from: Math.max(0, prompt.length - CONTEXT_TOKENS), to: prompt.length };
  return {
    async next(signal) {
      const step = await process.call<StepReply>(
        { op: "step", model, tokenizer, generation, tokens: Int32Array.from(tokens), shown },
        signal,
      );
      tokens.push(step.token);
      shown = step.shown;
      return { token: step.token, text: step.text };
    },
    async rest(signal) {
      const { text } = await process.call<StepReply>(
        { op: "rest", tokenizer, tokens: Int32Array.from(tokens), shown },
        signal,
      );
      return text;
    },
    close() {
      process.free({ op: "end", generation }).catch(() => {});
    },
  };
}
