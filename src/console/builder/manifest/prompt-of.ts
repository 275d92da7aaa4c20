import { valueAt } from "../../../manifest/value-at.ts";
import { readYaml } from "../../../manifest/yaml/read-yaml.ts";

/** Returns the system prompt in the text of a manifest; "" if it has none or is not YAML. */
export function promptOf(text: string): string {
  const reading = readYaml(text);
  const prompt = "value" in reading ? valueAt(reading.value, ["spec", "prompts", "system"]) : undefined;
  return typeof prompt === "string" ? prompt : "";
}
