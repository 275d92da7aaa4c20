import type { Tensor, TensorSlot } from "../onnx-runtime.ts";
import type { Pooling } from "../text-model.ts";

/** A file for the child; `stamp` identifies the version that was looked up. */
export interface FileRef {
  /** The models folder, which files and their companions must not leave. */
  root: string;
  name: string;
  path: string;
  stamp: string;
}

export interface TokenizerRef {
  file: FileRef;
  config?: FileRef;
}

/** Requests to the child; typed arrays are sent packed. */
export type Request =
  /** `bytesMax`: limit for the files of all models in memory; the least recently used ones are unloaded. */
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
      /** Generation whose state is kept; the oldest states are dropped and rebuilt from all tokens. */
      generation: string;
      tokens: Int32Array;
      shown: TextWindow;
    }
  | { op: "rest"; tokenizer: TokenizerRef; tokens: Int32Array; shown: TextWindow }
  | { op: "end"; generation: string };

/**
 * Progress of converting an answer's tokens to text: tokens before `to` are shown, and those from `from` on are decoded again for context.
 */
export interface TextWindow {
  from: number;
  to: number;
}

/** Replies: a value, a notice that the model has to be loaded first, or a fault. */
export type Reply = { value: unknown } | { absent: true } | { fault: OnnxFault };

export interface OnnxFault {
  code: "model_invalid" | "model_not_found" | "onnx_failed";
  /** End of a sentence: `has no output named logits`. */
  message: string;
}

export interface LoadedModel {
  inputs: readonly TensorSlot[];
  outputs: readonly TensorSlot[];
}

export interface StepReply {
  token: number;
  text: string;
  shown: TextWindow;
}
