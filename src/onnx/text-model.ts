import type { ModelFile } from "./model-file.ts";

/** How the vectors of a text's tokens become one, by the names of sentence-transformers. */
export type Pooling = "cls" | "max" | "mean" | "mean_sqrt_len" | "weighted_mean" | "last";

export interface EncodingOptions {
  /** Texts are cut after so many tokens, special ones included. */
  tokensMax: number;
}

export interface VectorOptions extends EncodingOptions {
  /** Several: their vectors end to end. */
  pooling: readonly Pooling[];
}

/** Rows of equal length, end to end. */
export interface Rows {
  width: number;
  data: Float32Array;
}

/** What a generation has reached. */
export interface GenerationStep {
  /** The token that the model holds most likely. */
  token: number;
  /** The text that is certain with it; empty while a character isn't whole. */
  text: string;
}

/** Greedy generation of one answer; the model's state stays in the process of the models until it is closed. */
export interface Generation {
  next(signal: AbortSignal): Promise<GenerationStep>;
  /** What the last tokens hold of text that `next` kept back. */
  rest(signal: AbortSignal): Promise<string>;
  close(): void;
}

/** Token ids of a text. */
export interface TokenOptions {
  /** Whether the tokenizer's own frame (`[CLS] … [SEP]`, `<s>`) is put around it. */
  special: boolean;
}

/** A model that reads text. Calls throw as those of `OnnxRuntime` do, `model_invalid` (422) when model or tokenizer can't be used. */
export interface TextModel {
  readonly model: ModelFile;
  /** One vector for each text, not normalised. Bounded parts of the work are done one after another. */
  vectors(texts: readonly string[], options: VectorOptions, signal: AbortSignal): Promise<Rows>;
  /** The model's logits for each pair of texts. */
  logits(
    pairs: readonly (readonly [string, string])[],
    options: EncodingOptions,
    signal: AbortSignal,
  ): Promise<Rows>;
  tokens(text: string, options: TokenOptions, signal: AbortSignal): Promise<number[]>;
  /** Starts an answer to these tokens. */
  generate(prompt: readonly number[]): Generation;
}
