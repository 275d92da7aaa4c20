import { parse } from "yaml";

/** Returns `metadata.name` of a manifest, or undefined if it cannot be found; the check of the manifest then reports why. */
export function nameIn(manifest: string): string | undefined {
  try {
    const { metadata } = parse(manifest) as { metadata?: { name?: unknown } };
    return typeof metadata?.name === "string" ? metadata.name : undefined;
  } catch {
    return undefined;
  }
}
