import type { TextModel } from "./text-model.ts";
import type { TextModelFiles } from "./text-model-files.ts";

/** A tensor: numbers (bigint for int64) in row-major order and its shape; what `shape` multiplies to is the length of `data`. */
export interface Tensor {
  type: "float32" | "int64" | "int32" | "bool" | "float64" | "string";
  shape: readonly number[];
  data: Float32Array | BigInt64Array | Int32Array | Uint8Array | Float64Array | readonly string[];
}

/** An input or output of a model; -1 in a shape: any length. */
export interface TensorSlot {
  name: string;
  /** Another name of ONNX's (`float16`, `uint8`) where tensors of ours can't fill it. */
  type: Tensor["type"] | (string & {});
  shape: readonly number[];
}

/** A loaded model. */
export interface OnnxSession {
  readonly inputs: readonly TensorSlot[];
  readonly outputs: readonly TensorSlot[];
  /** One forward pass. Throws AppError `onnx_failed` (422) when the model refuses the feeds, or the signal's reason. */
  run(feeds: Readonly<Record<string, Tensor>>, signal: AbortSignal): Promise<Record<string, Tensor>>;
  /** Frees its memory; calls under way end first. */
  close(): Promise<void>;
}

/**
 * Runs ONNX models of the user's own files in a process of their own, so that neither loading nor running one stops anything
 * else, and one that never ends can be ended. It starts with the first model. Every call throws AppError `onnx_failed` (422) when
 * the model refuses what it was given, takes too long or too much memory, and `onnx_unavailable` (503) when the process can't be
 * started or too many calls wait for it.
 */
export interface OnnxRuntime {
  /** Where models may lie: `<data>/models`. */
  readonly folder: string;
  /** Loads the model in a file below `folder`. Throws AppError `model_not_found` (404), `model_invalid` (422), `onnx_unavailable` (503). */
  open(path: string, signal: AbortSignal): Promise<OnnxSession>;
  /** A model that reads text, with its tokenizer; nothing is loaded before it is used. */
  text(files: TextModelFiles): TextModel;
  close(): Promise<void>;
}
