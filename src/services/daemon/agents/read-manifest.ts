import { AppError } from "../../../kit/app-error.ts";
import { maskValues } from "../../../kit/mask-values.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import { readYaml } from "../../../manifest/read-yaml.ts";
import type { CatalogEntry } from "./agent-catalog.ts";

type Mask = ((text: string) => string) | undefined;

/**
 * The newest text of an agent as it was written, its variables not put in and its secrets masked; `agent_failed` when its
 * file can't be read.
 */
export function manifestText({ name, text, fault }: CatalogEntry, maskKnown?: Mask): string {
  if (text !== undefined) return maskKnown?.(text) ?? text;
  throw new AppError(
    "unavailable",
    "agent_failed",
    `The manifest of ${name} can't be read: ${fault?.message}`,
  );
}

/** The same as a value; `invalid_manifest` when it is no YAML. */
export function manifestValue(entry: CatalogEntry, maskKnown?: Mask): Record<string, unknown> {
  const reading = readYaml(manifestText(entry));
  if ("value" in reading)
    return maskKnown === undefined
      ? reading.value
      : (maskValues(reading.value, maskKnown) as typeof reading.value);
  throw invalidManifest([reading.problem], entry.file);
}
