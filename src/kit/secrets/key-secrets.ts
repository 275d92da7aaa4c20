import { LatestMap } from "../latest-map.ts";
import { SecretRegistry } from "./secret-registry.ts";

/** Sets of keys that are kept at a time. */
const keptMax = 8;

/** Registries of the keys that callers bring with each call. The latest are kept, because finding all forms of a key takes long. */
export class KeySecrets {
  /** By the keys, the set that was used longest ago first. */
  readonly #kept = new LatestMap<string, SecretRegistry>(keptMax);

  /** Returns a registry that masks these keys and no others. */
  of(keys: Readonly<Record<string, string>>): Pick<SecretRegistry, "mask"> {
    const text = JSON.stringify(keys);
    const registry = this.#kept.get(text) ?? registryOf(Object.values(keys));
    this.#kept.set(text, registry);
    return registry;
  }
}

function registryOf(keys: readonly string[]): SecretRegistry {
  const registry = new SecretRegistry();
  for (const key of keys) registry.add(key);
  return registry;
}
