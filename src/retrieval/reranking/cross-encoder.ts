import { AppError } from "../../kit/app-error.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import { findTextModel, readTokensMax } from "../../onnx/text-model-files.ts";
import type { RetrievalPorts } from "../retrieval-ports.ts";
import type { Reranker, RerankerSettings } from "./reranker.ts";

/**
 * Creates a reranker from the user's own files: an ONNX model that reads query and text together, in a folder below `<data>/models`. Throws
 * AppError `invalid_manifest` if the folder is missing or unusable.
 */
export function createCrossEncoder(
  { model, api_key_env }: RerankerSettings,
  { onnx }: Pick<RetrievalPorts, "onnx">,
): Reranker {
  const name = checkedName(model, api_key_env);
  const current = () => {
    const files = findTextModel(onnx.folder, name);
    return { files, tokensMax: readTokensMax(files) };
  };
  try {
    current();
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    const { hint } = thrown.details;
    const message = `names ${name}, which can't be used: ${thrown.message}${hint === undefined ? "" : ` ${hint}`}`;
    throw invalidManifest([{ path: "model", message }]);
  }
  return {
    async score(query, texts, signal) {
      signal.throwIfAborted();
      if (texts.length === 0) return [];
      try {
        const { files, tokensMax } = current();
        const pairs = texts.map((text) => [query, text] as const);
        const { width, data } = await onnx.text(files).logits(pairs, { tokensMax }, signal);
        return texts.map((_, row) => scoreOf(data.subarray(row * width, (row + 1) * width), name));
      } catch (thrown) {
        signal.throwIfAborted();
        throw asReranker(thrown);
      }
    },
  };
}

function checkedName(model: string | undefined, apiKeyEnv: string | undefined): string {
  if (apiKeyEnv !== undefined) {
    const message = "is not for cross_encoder, which runs the model's own files; remove it";
    throw invalidManifest([{ path: "api_key_env", message }]);
  }
  if (model !== undefined) return model;
  const message = "is missing: name the folder of the model below <data>/models";
  throw invalidManifest([{ path: "model", message }]);
}

/** Score from the logits: the only one, or the second minus the first of two. */
function scoreOf(logits: Float32Array, name: string): number {
  const [first = Number.NaN, second] = logits;
  const logit = second === undefined ? first : second - first;
  if (logits.length > 2 || Number.isNaN(logit)) {
    const message = `The model ${name} gives ${logits.length > 2 ? `${logits.length} numbers` : "no number"} for a pair of texts; a cross encoder gives one.`;
    throw new AppError("unprocessable", "model_invalid", message);
  }
  return 1 / (1 + Math.exp(-logit));
}

function asReranker(thrown: unknown): unknown {
  if (!(thrown instanceof AppError)) return thrown;
  const { message, details, code } = thrown;
  return code === "onnx_unavailable"
    ? new AppError("unavailable", "reranker_unavailable", message, { details, cause: thrown })
    : new AppError("upstream_failed", "reranker_failed", message, { details, cause: thrown });
}
