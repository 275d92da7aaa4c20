import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../kit/app-error.ts";
import { findModelFile, type ModelFile } from "./model-file.ts";

/** Files of a text model in one folder. */
export interface TextModelFiles {
  /** Path of the folder, relative to the models folder. */
  name: string;
  model: ModelFile;
  tokenizer: ModelFile;
  tokenizerConfig?: ModelFile;
  /**
   * Returns the object in a JSON file of the folder; undefined if the file is missing. Throws AppError `model_invalid` for other content.
   */
  json(path: string): Record<string, unknown> | undefined;
  /** Finds a file in the folder; undefined if it is missing. */
  find(path: string): ModelFile | undefined;
}

const modelPaths = ["model.onnx", "onnx/model.onnx"];
const tokenizerPath = "tokenizer.json";
const CONFIG_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Finds a model by its folder without loading it. Throws AppError `model_not_found` with the expected files, `path_refused`, or
 * `model_invalid` for unreadable configuration.
 */
export function findTextModel(root: string, name: string): TextModelFiles {
  const find = (path: string): ModelFile | undefined => {
    try {
      return findModelFile(root, join(name, path));
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.code === "model_not_found") return undefined;
      throw thrown;
    }
  };
  // A name that leaves the folder also leaves it with a file name appended. An empty name would be the folder itself.
  findModelFolder(root, name);
  const model = modelPaths.map(find).find((file) => file !== undefined);
  const tokenizer = find(tokenizerPath);
  if (!model || !tokenizer) throw missing(name, model ? tokenizerPath : modelPaths.join(" or "));
  const tokenizerConfig = find("tokenizer_config.json");
  return {
    name,
    model,
    tokenizer,
    ...(tokenizerConfig && { tokenizerConfig }),
    find,
    json(path) {
      const file = find(path);
      return file && readConfig(file);
    },
  };
}

/** Digest of everything that determines a text model's output, as 16 hex digits; reads the whole model. */
export function digestOf(files: TextModelFiles, paths: readonly string[]): string {
  const modelFolder = basename(dirname(files.model.name)) === "onnx" ? "onnx/" : "";
  const all = [
    files.model,
    files.find(`${modelFolder}model.onnx_data`),
    files.find(`${modelFolder}model.onnx.data`),
    files.tokenizer,
    files.tokenizerConfig,
    ...paths.map((path) => files.find(path)),
  ];
  let digest = 0n;
  for (const file of all) {
    digest = Bun.hash.xxHash3(file ? readFileSync(file.path) : new Uint8Array(0), digest);
  }
  return digest.toString(16).padStart(16, "0");
}

function findModelFolder(root: string, name: string): void {
  try {
    findModelFile(root, name);
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== "model_not_found") throw thrown;
  }
}

function readConfig(file: ModelFile): Record<string, unknown> {
  try {
    if (file.bytes > CONFIG_BYTES_MAX) throw new Error("too large");
    const value: unknown = JSON.parse(readFileSync(file.path, "utf8"));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
    throw new Error("no object");
  } catch (cause) {
    throw new AppError(
      "unprocessable",
      "model_invalid",
      `${file.name} is not a JSON file that can be read.`,
      {
        cause,
      },
    );
  }
}

const missing = (name: string, what: string) =>
  new AppError("not_found", "model_not_found", `The model ${name} has no ${what} in <data>/models/${name}.`, {
    details: {
      hint: `Put model.onnx (or onnx/model.onnx), ${tokenizerPath} and the model's other JSON files into <data>/models/${name}.`,
    },
  });

const usual = 512;
/** Some tokenizers mean "any length" by a number of thirty digits. */
const sane = 1_000_000;

/** Model families whose positions begin after the padding token's. */
const offsetPositions = /^(?:roberta|xlm-roberta|camembert|mpnet|longformer|xlm-roberta-xl)$/;

/** Maximum tokens of a model's input, including special ones: the smallest value in its files, or 512. */
export function readTokensMax(files: TextModelFiles): number {
  const config = files.json("config.json") ?? {};
  const padding = typeof config.pad_token_id === "number" ? config.pad_token_id : 1;
  const offset = offsetPositions.test(String(config.model_type)) ? padding + 1 : 0;
  const lengths = [
    files.json("sentence_bert_config.json")?.max_seq_length,
    files.json("tokenizer_config.json")?.model_max_length,
    typeof config.max_position_embeddings === "number" ? config.max_position_embeddings - offset : undefined,
  ];
  const limits = lengths.filter(
    (limit): limit is number => typeof limit === "number" && limit >= 1 && limit < sane,
  );
  return limits.length === 0 ? usual : Math.floor(Math.min(...limits));
}
