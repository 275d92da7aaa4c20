import { parse } from "yaml";

/** `metadata.name` of a manifest; undefined where it can't be found, so that whoever checks the manifest says why. */
export function nameIn(manifest: string): string | undefined {
  try {
    const { metadata } = parse(manifest) as { metadata?: { name?: unknown } };
    return typeof metadata?.name === "string" ? metadata.name : undefined;
  } catch {
    return undefined;
  }
}
