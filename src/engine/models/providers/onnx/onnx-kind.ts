import { AppError } from "../../../../kit/app-error.ts";
import { findTextModel } from "../../../../onnx/text-model-files.ts";
import type { ProviderKind } from "../provider-kind.ts";
import { createOnnxModel } from "./onnx-model.ts";

/** Models from the user's own files, run in a local child process. */
export const onnxKind: ProviderKind = {
  name: "onnx",
  aliases: [],
  docs: "A small ONNX model of your own files below `<data>/models`, run here: one pass a token, greedy, without tools.",
  local: true,
  needsEndpoint: false,
  needsKey: false,
  endpointFault: () => "is not for models of local files; remove it",
  parametersAt: () => ["max_tokens", "stop"],
  modelFault(model, { onnx }) {
    if (!onnx) return "can't be run here";
    try {
      findTextModel(onnx.runtime.folder, model);
      return undefined;
    } catch (thrown) {
      if (!(thrown instanceof AppError)) throw thrown;
      const { hint } = thrown.details;
      return `can't be used: ${thrown.message}${hint === undefined ? "" : ` ${hint}`}`;
    }
  },
  build(
    { provider, model, parameters, contextWindow, timeoutMs, limitBy = "operator" },
    { onnx, clock, newId },
  ) {
    if (!onnx)
      throw new AppError("unavailable", "onnx_unavailable", "Models of local files can't be run here.");
    return createOnnxModel(
      { provider, model, parameters, contextWindow, timeoutMs, limitBy },
      { onnx: onnx.runtime, templates: onnx.templates, clock, newId },
    );
  },
};
