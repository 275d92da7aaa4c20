import { InvalidArgumentError } from "commander";

/** Parses an option's `provider/model`. */
export function modelName(text: string): string {
  if (/^[^/]{1,63}\/.{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be a provider and its model, such as openai/gpt-5.");
}
