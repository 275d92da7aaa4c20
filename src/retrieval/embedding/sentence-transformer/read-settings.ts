import { AppError } from "../../../kit/app-error.ts";
import type { Pooling } from "../../../onnx/text-model.ts";
import { readTokensMax, type TextModelFiles } from "../../../onnx/text-model-files.ts";
import type { EmbeddingUse } from "../embedder.ts";

/** Settings in a sentence-transformers folder. */
export interface SentenceSettings {
  pooling: Pooling[];
  tokensMax: number;
  /** Prefix of each text. */
  prefix: Record<EmbeddingUse, string>;
  /** Length of its vectors, if its files declare it. */
  dimension: number | undefined;
}

/** Files besides model and tokenizer that determine the vectors. */
export const settingsFiles = [
  "modules.json",
  "1_Pooling/config.json",
  "sentence_bert_config.json",
  "config_sentence_transformers.json",
  "config.json",
];

/** Reads a folder's settings. Throws AppError `model_invalid` for a kind of model whose vectors would be wrong. */
export function readSentenceSettings(files: TextModelFiles): SentenceSettings {
  refuseOtherModules(files);
  const poolingConfig = files.json("1_Pooling/config.json") ?? {};
  const { pooling, width } = readPooling(files, poolingConfig);
  const prefix = readPrefixes(files.json("config_sentence_transformers.json") ?? {});
  if (poolingConfig.include_prompt === false && (prefix.query !== "" || prefix.document !== "")) {
    throw unusable(
      files,
      "leaves its prompts out when it pools (`include_prompt: false`), which is not supported",
    );
  }
  return {
    pooling,
    tokensMax: readTokensMax(files),
    prefix,
    dimension: width === undefined ? undefined : width * pooling.length,
  };
}

/** Modules that are part of the model or implemented here. A model with other modules would be incomplete. */
const knownModules = /(?:^|\.)(?:Transformer|Pooling|Normalize)$/;

function refuseOtherModules(files: TextModelFiles): void {
  const modules: unknown = files.json("modules.json");
  if (!Array.isArray(modules)) return;
  for (const { type } of modules) {
    if (typeof type === "string" && knownModules.test(type)) continue;
    const shortType = String(type).slice(0, 80);
    throw unusable(files, `has a layer of type ${shortType} after its transformer, which is not supported`);
  }
}

/** In the order in which sentence-transformers concatenates several. */
const poolingModes: [string, Pooling][] = [
  ["cls_token", "cls"],
  ["max_tokens", "max"],
  ["mean_tokens", "mean"],
  ["mean_sqrt_len_tokens", "mean_sqrt_len"],
  ["weightedmean_tokens", "weighted_mean"],
  ["lasttoken", "last"],
];

function readPooling(
  files: TextModelFiles,
  config: Record<string, unknown>,
): { pooling: Pooling[]; width: number | undefined } {
  const newer = [config.pooling_mode ?? []].flat().map((mode) => String(mode));
  const pooling = poolingModes.flatMap(([mode, way]) => {
    const isOn =
      config[`pooling_mode_${mode}`] === true || newer.includes(way) || newer.includes(newNames[way] ?? way);
    return isOn ? [way] : [];
  });
  const named = Object.entries(config).filter(([key, value]) => /^pooling_mode_/.test(key) && value === true);
  if (named.length > pooling.length || (newer.length > 0 && pooling.length === 0)) {
    throw unusable(files, "pools in a way that is not known (1_Pooling/config.json)");
  }
  const width = config.word_embedding_dimension ?? config.embedding_dimension;
  return {
    pooling: pooling.length === 0 ? ["mean"] : pooling,
    width: typeof width === "number" ? width : undefined,
  };
}

const newNames: Partial<Record<Pooling, string>> = {
  mean_sqrt_len: "mean_sqrt_len_tokens",
  weighted_mean: "weightedmean",
  last: "lasttoken",
};

function readPrefixes(config: Record<string, unknown>): Record<EmbeddingUse, string> {
  const prompts = (typeof config.prompts === "object" && config.prompts) || {};
  const prompt = (...names: unknown[]): string => {
    for (const name of names) {
      const text = (prompts as Record<string, unknown>)[String(name)];
      if (typeof text === "string") return text;
    }
    return "";
  };
  const usual = config.default_prompt_name;
  return { query: prompt("query", usual), document: prompt("document", "passage", usual) };
}

function unusable({ name }: TextModelFiles, what: string): AppError {
  return new AppError("unprocessable", "model_invalid", `The model ${name} ${what}.`);
}
