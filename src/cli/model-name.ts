import { InvalidArgumentError } from "commander";

/** An option's value that names a provider and one of its models. */
export function modelName(text: string): string {
  if (/^[^/]{1,63}\/.{1,255}$/.test(text)) return text;
  throw new InvalidArgumentError("It must be a provider and its model, such as openai/gpt-5.");
}
