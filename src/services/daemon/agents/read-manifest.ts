import { AppError } from "../../../kit/app-error.ts";
import { learnSecretsIn } from "../../../kit/learn-secret.ts";
import { maskValues } from "../../../kit/mask-values.ts";
import { SecretRegistry } from "../../../kit/secret-registry.ts";
import { invalidManifest } from "../../../manifest/problems.ts";
import { readYaml } from "../../../manifest/read-yaml.ts";
import type { CatalogEntry } from "./agent-catalog.ts";

type Mask = ((text: string) => string) | undefined;

/**
 * The newest text of an agent as it was written, its variables not put in and its secrets masked; `agent_failed` when its
 * file can't be read.
 */
export function manifestText({ name, text, fault }: CatalogEntry, maskKnown?: Mask): string {
  if (text !== undefined) return maskKnown === undefined ? text : ownMask(text)(maskKnown(text));
  throw new AppError(
    "unavailable",
    "agent_failed",
    `The manifest of ${name} can't be read: ${fault?.message}`,
  );
}

/** The same as a value; `invalid_manifest` when it is no YAML. */
export function manifestValue(entry: CatalogEntry, maskKnown?: Mask): Record<string, unknown> {
  const text = manifestText(entry);
  const reading = readYaml(text);
  if ("value" in reading) {
    if (maskKnown === undefined) return reading.value;
    const mask = ownMask(text);
    return maskValues(reading.value, (one) => mask(maskKnown(one))) as typeof reading.value;
  }
  throw invalidManifest([reading.problem], entry.file);
}

/** Masks what the manifest itself holds secret: that of a stranger's is known nowhere else. */
function ownMask(text: string): (text: string) => string {
  const own = new SecretRegistry();
  const reading = readYaml(text);
  if ("value" in reading) learnSecretsIn(reading.value, own);
  return (shown) => own.mask(shown);
}
