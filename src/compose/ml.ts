import type { OnnxRuntime } from "../onnx/onnx-runtime.ts";
import type { DaemonMl } from "../services/daemon/ml/daemon-ml.ts";
import { ModelShelf } from "../services/daemon/ml/model-shelf.ts";

/** The registry of models over the daemon's storage; nothing is loaded before it is asked for. */
export function assembleMl(storage: DaemonMl["storage"], onnx: OnnxRuntime): DaemonMl {
  return { storage, shelf: new ModelShelf(onnx) };
}
