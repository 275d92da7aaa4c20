import type { VectorStoreSettings } from "../../stores/store-kind.ts";

/**
 * Id of a store, which distinguishes the stores where vectors may be: a collection is found only in the store where it was filled.
 * Credentials are ignored, so that a password may change. A store in memory belongs to one process.
 */
export function storeIdOf(
  settings: VectorStoreSettings,
  { storeDefaults, processId }: { storeDefaults: VectorStoreSettings; processId: string },
): string {
  const standard = storeDefaults.backend ?? "lancedb";
  const { backend = standard } = settings;
  if (backend === "memory") return `memory@${processId}`;
  const own = settings.dsn ?? settings.url;
  const address = own ?? (backend === standard ? (storeDefaults.dsn ?? storeDefaults.url) : undefined);
  return address === undefined ? backend : `${backend}@${digest(withoutCredentials(address))}`;
}

/** Returns true for a store in a process's memory. */
export const isInMemory = (storeId: string) => storeId.startsWith("memory@");

function withoutCredentials(address: string): string {
  const url = URL.parse(address);
  if (url === null) return address;
  url.username = "";
  url.password = "";
  return url.href.replace(/\/+$/, "");
}

function digest(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);
}
