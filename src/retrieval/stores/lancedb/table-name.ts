import type { CollectionKey } from "../vector-store.ts";

/**
 * The name of a collection's table, which is a folder on disk: the same for equal keys only, in small letters and digits, so that
 * no tenant's or agent's name gets into a path and none differ by case alone.
 */
export function tableName({ tenant, kind, name }: CollectionKey): string {
  // JSON keeps the parts apart whatever they contain, and halves of surrogate pairs as they are.
  const identity = JSON.stringify([tenant, kind, name]);
  return `${kind}-${new Bun.CryptoHasher("sha256").update(identity).digest("hex")}`;
}
