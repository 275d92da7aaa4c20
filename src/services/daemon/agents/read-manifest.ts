import { AppError } from "../../../kit/app-error.ts";
import { learnSecretsIn } from "../../../kit/secrets/learn-secret.ts";
import { maskValues } from "../../../kit/secrets/mask-values.ts";
import { SecretRegistry } from "../../../kit/secrets/secret-registry.ts";
import { invalidManifest } from "../../../manifest/fault.ts";
import { readYaml } from "../../../manifest/yaml/read-yaml.ts";
import type { CatalogEntry } from "./agent-catalog.ts";

type Mask = ((text: string) => string) | undefined;

/**
 * Returns the newest text of an agent as written: variables not substituted, secrets masked. Throws `agent_failed` if the file can't be
 * read.
 */
export function manifestText({ name, text, fault }: CatalogEntry, maskKnown?: Mask): string {
  if (text !== undefined) return maskKnown === undefined ? text : ownMask(text)(maskKnown(text));
  throw new AppError(
    "unavailable",
    "agent_failed",
    `The manifest of ${name} can't be read: ${fault?.message}`,
  );
}

/** Like `manifestText`, but parsed. Throws `invalid_manifest` if the text is not YAML. */
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

/** Masks the secrets in the manifest itself. Secrets in other people's manifests are registered nowhere else. */
function ownMask(text: string): (text: string) => string {
  const own = new SecretRegistry();
  const reading = readYaml(text);
  if ("value" in reading) learnSecretsIn(reading.value, own);
  return (shown) => own.mask(shown);
}
