import type { OnnxRuntime } from "../../onnx/onnx-runtime.ts";
import type { DaemonMl } from "../../services/daemon/ml/daemon-ml.ts";
import { ModelShelf } from "../../services/daemon/ml/model-shelf.ts";

/** Assembles the model registry on the daemon's storage. Models are loaded at their first use. */
export function assembleMl(storage: DaemonMl["storage"], onnx: OnnxRuntime): DaemonMl {
  return { storage, shelf: new ModelShelf(onnx) };
}
