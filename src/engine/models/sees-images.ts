import type { Model } from "./model.ts";

/**
 * Names of model families that take images. Providers have no common way to ask for it, so a model of another name gets images only if its
 * provider declares the capability.
 */
const families =
  /(?:^|[/:_-])(?:gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|chatgpt-4o|o1|o3|o4-mini|claude|gemini|gemma-?3|llava|bakllava|moondream|minicpm-v|pixtral|mistral-(?:small-3|medium-3)|qwen[\d.]*-?vl|llama-?3\.2-vision|llama-?4|granite[\d.]*-vision|internvl|phi-?[34][\w.]*-vision|command-a-vision|aya-vision)/i;
/** Members of these families without images. */
const blind = /(?:^|[/:_-])(?:claude-(?:instant|2)|o1-mini|o1-preview|o3-mini)/i;

/** Returns true if a model takes images. */
export function seesImages({ model, capabilities }: Pick<Model, "model" | "capabilities">): boolean {
  return capabilities?.vision ?? (families.test(model) && !blind.test(model));
}
