import type { ModelFile } from "./model-file.ts";

/** Ways to combine the vectors of a text's tokens, with the names of sentence-transformers. */
export type Pooling = "cls" | "max" | "mean" | "mean_sqrt_len" | "weighted_mean" | "last";

export interface EncodingOptions {
  /** Maximum tokens of a text, including special ones; the rest is cut. */
  tokensMax: number;
}

export interface VectorOptions extends EncodingOptions {
  /** If there are several, their vectors are concatenated. */
  pooling: readonly Pooling[];
}

/** Rows of equal length, concatenated. */
export interface Rows {
  width: number;
  data: Float32Array;
}

/** One step of a generation. */
export interface GenerationStep {
  /** The most likely token. */
  token: number;
  /** The text that it makes certain; empty while a character is incomplete. */
  text: string;
}

/** Greedy generation of one answer; its state stays in the model process until it is closed. */
export interface Generation {
  next(signal: AbortSignal): Promise<GenerationStep>;
  /** Returns the remaining text that `next` held back. */
  rest(signal: AbortSignal): Promise<string>;
  close(): void;
}

/** Options for the token ids of a text. */
export interface TokenIdOptions {
  /** True if special tokens (`[CLS] … [SEP]`, `<s>`) are added. */
  special: boolean;
}

/** A model that reads text. Calls throw as those of `OnnxRuntime`, and `model_invalid` (422) if model or tokenizer is unusable. */
export interface TextModel {
  readonly model: ModelFile;
  /** Returns one vector per text, not normalized. Works in bounded parts, one after another. */
  vectors(texts: readonly string[], options: VectorOptions, signal: AbortSignal): Promise<Rows>;
  /** Returns the model's logits for each pair of texts. */
  logits(
    pairs: readonly (readonly [string, string])[],
    options: EncodingOptions,
    signal: AbortSignal,
  ): Promise<Rows>;
  tokens(text: string, options: TokenIdOptions, signal: AbortSignal): Promise<number[]>;
  /** Starts an answer to these tokens. */
  generate(prompt: readonly number[]): Generation;
}
