import { entityTag } from "../../../http/entity-tag.ts";
import { AppError, type Problem } from "../../../kit/app-error.ts";
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
export function manifestText(entry: CatalogEntry, maskKnown?: Mask): string {
  const { name, text, fault } = entry;
  if (text !== undefined) return maskKnown === undefined ? text : ownMask(contentOf(entry))(maskKnown(text));
  throw new AppError(
    "unavailable",
    "agent_failed",
    `The manifest of ${name} can't be read: ${fault?.message}`,
  );
}

/** ETag of an agent's manifest as callers see it. Throws `agent_failed` if the file can't be read. */
export const manifestTag = (entry: CatalogEntry, maskKnown?: Mask): string =>
  entityTag(manifestText(entry, maskKnown));

/** Like `manifestText`, but parsed. Throws `invalid_manifest` if the text is not YAML. */
export function manifestValue(entry: CatalogEntry, maskKnown?: Mask): Record<string, unknown> {
  const content = contentOf(entry);
  if ("problem" in content) throw invalidManifest([content.problem], entry.file);
  if (maskKnown === undefined) return content.value;
  const mask = ownMask(content);
  return maskValues(content.value, (one) => mask(maskKnown(one))) as typeof content.value;
}

/** Returns the content that was read with the manifest. Only a text that is not a valid manifest is read again. */
function contentOf(entry: CatalogEntry): Content {
  if (entry.document === undefined) return readYaml(manifestText(entry));
  return { value: entry.document as Record<string, unknown> };
}

type Content = { value: Record<string, unknown> } | { problem: Problem };

/** Masks the secrets in the manifest itself. Secrets in other people's manifests are registered nowhere else. */
function ownMask(content: Content): (text: string) => string {
  const own = new SecretRegistry();
  if ("value" in content) learnSecretsIn(content.value, own);
  return (shown) => own.mask(shown);
}
