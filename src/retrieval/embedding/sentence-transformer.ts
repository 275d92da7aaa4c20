import { AppError } from "../../kit/app-error.ts";
import { invalidManifest } from "../../manifest/fault.ts";
import type { Rows } from "../../onnx/text-model.ts";
import { digestOf, findTextModel, type TextModelFiles } from "../../onnx/text-model-files.ts";
import type { RetrievalPorts } from "../retrieval-ports.ts";
import type { Embedder, EmbedderSettings, EmbeddingUse } from "./embedder.ts";
import {
  readSentenceSettings,
  type SentenceSettings,
  settingsFiles,
} from "./sentence-transformer/read-settings.ts";

/** With models of this kind, related texts are mostly above this value, others mostly below. */
const thresholdDefault = 0.3;

/** The model with its current files. */
interface CurrentModel {
  files: TextModelFiles;
  settings: SentenceSettings;
  /** Computed on demand, because it reads the whole model. */
  digest: () => string;
}

/**
 * Creates an embedder from the user's own files: an ONNX model in the layout of sentence-transformers, in a folder below `<data>/models`.
 * Throws AppError `invalid_manifest` if the folder is missing or unusable. Files that are replaced later are used from the next call on,
 * with another id.
 */
export function createSentenceTransformer(
  settings: EmbedderSettings,
  { onnx }: Pick<RetrievalPorts, "onnx">,
): Embedder {
  const name = checkedName(settings);
  const current = watchModel(onnx.folder, name);
  checkSettings(current, settings);

  const vectorsOf = async (
    texts: readonly string[],
    use: EmbeddingUse,
    signal: AbortSignal,
  ): Promise<Rows> => {
    const { files, settings: own } = current();
    const { pooling, tokensMax, prefix } = own;
    // A text without content gets zeros, regardless of the prefix.
    const spoken = texts.map((text, at) => ({ text: prefix[use] + text, at, isEmpty: text.trim() === "" }));
    const nonEmpty = spoken.filter(({ isEmpty }) => !isEmpty);
    const { width, data } = await onnx.text(files).vectors(
      nonEmpty.map(({ text }) => text),
      { pooling, tokensMax },
      signal,
    );
    const all = new Float32Array(texts.length * width);
    for (const [row, { at }] of nonEmpty.entries()) {
      all.set(normalized(data.subarray(row * width, (row + 1) * width), name), at * width);
    }
    return { width, data: all };
  };

  const dimensions = new Map<string, number>();
  const dimension = async (signal: AbortSignal): Promise<number> => {
    const { digest } = current();
    const id = digest();
    let known = dimensions.get(id);
    if (known === undefined) {
      known = (await vectorsOf(["dimension"], "document", signal)).width;
      dimensions.set(id, known);
    }
    if (settings.dimension !== undefined && settings.dimension !== known) {
      throw new AppError("unprocessable", "model_invalid", wrongDimension(name, known, settings.dimension));
    }
    return known;
  };

  let lastId = "";
  return {
    get id() {
      try {
        lastId = `sentence_transformer/${name}@${current().digest()}`;
      } catch (thrown) {
        // `embed` reports missing files; a request for the id alone returns the last one.
        if (lastId === "") throw thrown;
      }
      return lastId;
    },
    isLexical: false,
    defaultThreshold: thresholdDefault,
    dimension: (signal) => asEmbedder(signal, () => dimension(signal)),
    embed: (texts, use, signal) =>
      asEmbedder(signal, async () => {
        const length = await dimension(signal);
        const { data } = await vectorsOf(texts, use, signal);
        // If no text has content, the model is not called, and the length is already known.
        return data.length === 0 ? new Float32Array(texts.length * length) : data;
      }),
  };
}

function checkedName({ model, endpoint, api_key_env }: EmbedderSettings): string {
  const problems = [
    ...(endpoint === undefined ? [] : [{ path: "endpoint", message: notHere }]),
    ...(api_key_env === undefined ? [] : [{ path: "api_key_env", message: notHere }]),
    ...(model === undefined
      ? [{ path: "model", message: "is missing: name the folder of the model below <data>/models" }]
      : []),
  ];
  if (model === undefined || problems.length > 0) throw invalidManifest(problems);
  return model;
}

const notHere = "is not for sentence_transformer, which runs the model's own files; remove it";

/** Returns the model's current files. Settings read from them are cached until a file changes. */
function watchModel(folder: string, name: string): () => CurrentModel {
  let current: { stamps: string; model: CurrentModel } | undefined;
  return () => {
    const files = findTextModel(folder, name);
    const parts = [
      files.model,
      files.tokenizer,
      files.tokenizerConfig,
      ...settingsFiles.map((path) => files.find(path)),
    ];
    const stamps = parts.map((file) => file?.stamp ?? "").join(" ");
    if (current?.stamps !== stamps) {
      let digest: string | undefined;
      const settings = readSentenceSettings(files);
      current = {
        stamps,
        model: { files, settings, digest: () => (digest ??= digestOf(files, settingsFiles)) },
      };
    }
    return current.model;
  };
}

function checkSettings(current: () => CurrentModel, { model = "", dimension }: EmbedderSettings): void {
  try {
    const known = current().settings.dimension;
    if (dimension !== undefined && known !== undefined && dimension !== known) {
      throw invalidManifest([{ path: "dimension", message: wrongDimension(model, known, dimension) }]);
    }
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.details.problems) throw thrown;
    const { hint } = thrown.details;
    const message = `names ${model}, which can't be used: ${thrown.message}${hint === undefined ? "" : ` ${hint}`}`;
    throw invalidManifest([{ path: "model", message }]);
  }
}

const wrongDimension = (model: string, known: number, wanted: number) =>
  `The vectors of ${model} have ${known} numbers, not ${wanted}; take \`dimension\` out.`;

function normalized(vector: Float32Array, name: string): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (!Number.isFinite(sum)) {
    throw new AppError(
      "unprocessable",
      "onnx_failed",
      `The model ${name} gave a vector that does not consist of numbers.`,
    );
  }
  return sum === 0 ? vector : vector.map((value) => value / Math.sqrt(sum));
}

/** Converts errors of the model to those of an embedder. */
async function asEmbedder<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof AppError)) throw thrown;
    const { message, details, code } = thrown;
    const [kind, own] =
      code === "onnx_unavailable"
        ? (["unavailable", "embedder_unavailable"] as const)
        : (["upstream_failed", "embedder_failed"] as const);
    throw new AppError(kind, own, message, { details, cause: thrown });
  }
}
