import { createHash } from "node:crypto";
import type { CollectionKey } from "../vector-store.ts";

/**
 * A name for the collection that every server accepts (letters, digits, `_` and `-`, at most 80) and that is unique per key: part of its
 * name for readability, and a hash of the whole key.
 */
export function physicalName({ tenant, kind, name }: CollectionKey): string {
  const readable = name.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 24);
  const hash = createHash("sha256")
    .update(JSON.stringify([tenant, kind, name]))
    .digest("hex")
    .slice(0, 40);
  return `argosy_${kind}_${readable}_${hash}`;
}
