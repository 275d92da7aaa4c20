import type { OnnxRuntime } from "../onnx/onnx-runtime.ts";
import type { DaemonMl } from "../services/daemon/ml/loaded-models.ts";
import { LoadedModels } from "../services/daemon/ml/loaded-models.ts";

/** Assembles the model registry on the daemon's storage. Models are loaded at their first use. */
export function assembleMl(storage: DaemonMl["storage"], onnx: OnnxRuntime): DaemonMl {
  return { storage, loaded: new LoadedModels(onnx) };
}
