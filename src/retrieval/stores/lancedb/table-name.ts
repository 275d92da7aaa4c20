import type { CollectionKey } from "../vector-store.ts";

/**
 * Name of a collection's table, which is a folder on disk. Only equal keys give equal names. It has only lower-case letters, digits and
 * `-`, so that no tenant's or agent's name gets into a path, and names don't differ by case only.
 */
export function tableName({ tenant, kind, name }: CollectionKey): string {
  // JSON keeps the parts separate, whatever they contain, and preserves lone surrogates.
  const identity = JSON.stringify([tenant, kind, name]);
  return `${kind}-${new Bun.CryptoHasher("sha256").update(identity).digest("hex")}`;
}
