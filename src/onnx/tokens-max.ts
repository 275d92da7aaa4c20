import type { TextModelFiles } from "./text-model-files.ts";

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
  const said = [
    files.json("sentence_bert_config.json")?.max_seq_length,
    files.json("tokenizer_config.json")?.model_max_length,
    typeof config.max_position_embeddings === "number" ? config.max_position_embeddings - offset : undefined,
  ];
  const limits = said.filter(
    (limit): limit is number => typeof limit === "number" && limit >= 1 && limit < sane,
  );
  return limits.length === 0 ? usual : Math.floor(Math.min(...limits));
}
