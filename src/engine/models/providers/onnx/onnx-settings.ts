import { readFileSync } from "node:fs";
import type { TextModelFiles } from "../../../../onnx/text-model-files.ts";

/** Settings for text generation from a model folder's files. */
export interface OnnxSettings {
  /** Maximum tokens of prompt and answer together. */
  contextWindow: number;
  /** Tokens that end an answer. */
  endTokens: ReadonlySet<number>;
  /** The model's chat template in Jinja; undefined if it has none. */
  chatTemplate: string | undefined;
  /** Special tokens by their role (`bos_token`), for the template. */
  named: Readonly<Record<string, string>>;
  /** Texts of all special tokens. */
  special: readonly string[];
}

const contextKeys = ["max_position_embeddings", "n_positions", "n_ctx", "max_sequence_length", "seq_length"];
const contextDefault = 2048;

/** Reads the settings. Throws AppError `model_invalid` for invalid JSON. */
export function readOnnxSettings(files: TextModelFiles): OnnxSettings {
  const config = files.json("config.json") ?? {};
  const generation = files.json("generation_config.json") ?? {};
  const tokenizer = files.json("tokenizer_config.json") ?? {};
  const added = addedTokens(tokenizer);
  const named = namedTokens(tokenizer);
  const ends = [generation.eos_token_id, config.eos_token_id].flat();
  const endTokens = new Set(ends.filter((id): id is number => typeof id === "number"));
  const ownEnd = added.find(({ content }) => content === named.eos_token);
  if (ownEnd) endTokens.add(ownEnd.id);
  const length = contextKeys
    .map((key) => config[key])
    .find((value) => typeof value === "number" && value >= 2);
  return {
    contextWindow: typeof length === "number" ? Math.floor(length) : contextDefault,
    endTokens,
    chatTemplate: chatTemplateOf(files, tokenizer),
    named,
    special: [...new Set([...Object.values(named), ...added.map(({ content }) => content)])],
  };
}

function addedTokens({ added_tokens_decoder: decoder }: Record<string, unknown>) {
  if (typeof decoder !== "object" || decoder === null) return [];
  return Object.entries(decoder).flatMap(([id, token]: [string, unknown]) => {
    const { content, special } = (token ?? {}) as Record<string, unknown>;
    return typeof content === "string" && content !== "" && special === true
      ? { id: Number(id), content }
      : [];
  });
}

function namedTokens(tokenizer: Record<string, unknown>): Record<string, string> {
  const entries = Object.entries(tokenizer).flatMap(([key, value]): [string, string][] => {
    if (!key.endsWith("_token")) return [];
    const text = typeof value === "object" && value !== null && "content" in value ? value.content : value;
    return typeof text === "string" && text !== "" ? [[key, text]] : [];
  });
  return Object.fromEntries(entries);
}

function chatTemplateOf(files: TextModelFiles, { chat_template: own }: Record<string, unknown>) {
  if (typeof own === "string") return own;
  if (Array.isArray(own)) {
    const usual = own.find((one) => one?.name === "default") ?? own[0];
    if (typeof usual?.template === "string") return String(usual.template);
  }
  const file = files.find("chat_template.jinja");
  return file && readFileSync(file.path, "utf8");
}
