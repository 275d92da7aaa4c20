import type { Tensor, TensorSlot } from "../onnx-runtime.ts";
import type { Pooling } from "../text-model.ts";

/** A file that the child reads; `stamp` tells whether it is still the one that was looked up. */
export interface FileRef {
  /** The folder of models, which it and files beside it don't leave. */
  root: string;
  name: string;
  path: string;
  stamp: string;
}

export interface TokenizerRef {
  file: FileRef;
  config?: FileRef;
}

/** What the child is asked; typed arrays travel packed. */
export type Request =
  /** `bytesMax`: what the files of all models in memory may have together; those used longest ago make room. */
  | { op: "load"; model: FileRef; bytesMax: number }
  | { op: "unload"; model: FileRef }
  | { op: "run"; model: FileRef; feeds: Record<string, Tensor> }
  | { op: "tokens"; tokenizer: TokenizerRef; text: string; special: boolean }
  | {
      op: "vectors";
      model: FileRef;
      tokenizer: TokenizerRef;
      texts: readonly string[];
      tokensMax: number;
      pooling: readonly Pooling[];
    }
  | {
      op: "logits";
      model: FileRef;
      tokenizer: TokenizerRef;
      pairs: readonly (readonly [string, string])[];
      tokensMax: number;
    }
  | {
      op: "step";
      model: FileRef;
      tokenizer: TokenizerRef;
      /** Whose state is kept; the oldest states are forgotten, and made again from all tokens. */
      generation: string;
      tokens: Int32Array;
      shown: Shown;
    }
  | { op: "rest"; tokenizer: TokenizerRef; tokens: Int32Array; shown: Shown }
  | { op: "end"; generation: string };

/** How far the tokens of an answer have become text: tokens before `to` are shown, and read again from `from` for their context. */
export interface Shown {
  from: number;
  to: number;
}

/** What comes back: a value, the word that the model has to be loaded first, or a fault. */
export type Reply = { value: unknown } | { absent: true } | { fault: Fault };

export interface Fault {
  code: "model_invalid" | "model_not_found" | "onnx_failed";
  /** The end of a sentence: `has no output named logits`. */
  message: string;
}

export interface LoadedModel {
  inputs: readonly TensorSlot[];
  outputs: readonly TensorSlot[];
}

export interface StepReply {
  token: number;
  text: string;
  shown: Shown;
}
