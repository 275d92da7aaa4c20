import { AppError } from "../../../kit/app-error.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import { readYaml } from "../../../manifest/read-yaml.ts";
import type { CatalogEntry } from "./agent-catalog.ts";

/** The newest text of an agent as it was written, its variables not put in; `agent_failed` when its file can't be read. */
export function manifestText({ name, text, fault }: CatalogEntry): string {
  if (text !== undefined) return text;
  throw new AppError(
    "unavailable",
    "agent_failed",
    `The manifest of ${name} can't be read: ${fault?.message}`,
  );
}

/** The same as a value; `invalid_manifest` when it is no YAML. */
export function manifestValue(entry: CatalogEntry): Record<string, unknown> {
  const reading = readYaml(manifestText(entry));
  if ("value" in reading) return reading.value;
  throw invalidManifest([reading.problem], entry.file);
}
