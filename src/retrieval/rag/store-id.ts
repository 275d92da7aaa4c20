import type { VectorStoreSettings } from "../stores/store-settings.ts";
import type { PipelineParts } from "./rag-pipeline.ts";

/**
 * Tells the places where vectors may be from each other: a collection is only found where it was filled. Credentials make no
 * difference, so that a password may change. What lives in memory is of one process.
 */
export function storeIdOf(
  settings: VectorStoreSettings,
  { storeDefaults, processId }: Pick<PipelineParts, "storeDefaults" | "processId">,
): string {
  const standard = storeDefaults.backend ?? "lancedb";
  const { backend = standard } = settings;
  if (backend === "memory") return `memory@${processId}`;
  const own = settings.dsn ?? settings.url;
  const address = own ?? (backend === standard ? (storeDefaults.dsn ?? storeDefaults.url) : undefined);
  return address === undefined ? backend : `${backend}@${digest(withoutCredentials(address))}`;
}

/** Whether it is a place in a process's memory. */
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
