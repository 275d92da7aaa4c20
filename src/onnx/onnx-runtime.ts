import type { TextModel } from "./text-model.ts";
import type { TextModelFiles } from "./text-model-files.ts";

/** A tensor: its shape and its elements (bigint for int64) in row-major order. The product of `shape` is the length of `data`. */
export interface Tensor {
  type: "float32" | "int64" | "int32" | "bool" | "float64" | "string";
  shape: readonly number[];
  data: Float32Array | BigInt64Array | Int32Array | Uint8Array | Float64Array | readonly string[];
}

/** An input or output of a model; -1 in a shape means any length. */
export interface TensorSlot {
  name: string;
  /** An ONNX type (`float16`, `uint8`) if our tensors can't have it directly. */
  type: Tensor["type"] | (string & {});
  shape: readonly number[];
}

/** A loaded model. */
export interface OnnxSession {
  readonly inputs: readonly TensorSlot[];
  readonly outputs: readonly TensorSlot[];
  /** Runs one forward pass. Throws AppError `onnx_failed` (422) if the model refuses the feeds, or the signal's reason. */
  run(feeds: Readonly<Record<string, Tensor>>, signal: AbortSignal): Promise<Record<string, Tensor>>;
  /** Frees its memory after pending calls have ended. */
  close(): Promise<void>;
}

/**
 * Runs ONNX models from the user's own files in a separate process, so that loading and running them blocks nothing else and endless runs
 * can be stopped. The process starts with the first model. Every call throws AppError `onnx_failed` (422) if the model refuses its input or
 * exceeds its time or memory limit, and `onnx_unavailable` (503) if the process can't be started or too many calls are waiting.
 */
export interface OnnxRuntime {
  /** Folder of models: `<data>/models`. */
  readonly folder: string;
  /** Loads the model in a file below `folder`. Throws AppError `model_not_found` (404), `model_invalid` (422), `onnx_unavailable` (503). */
  open(path: string, signal: AbortSignal): Promise<OnnxSession>;
  /** Returns a text model with its tokenizer; nothing is loaded before its first use. */
  text(files: TextModelFiles): TextModel;
  /** The same for another owner, who is asked for at each call. Owners take turns; by itself, a runtime is the operator's. */
  ownedBy(owner: () => string): OnnxRuntime;
  close(): Promise<void>;
}
