import { installAtFirstUse } from "../../../../kit/process/first-use-install.ts";
import { vectorsUnavailable } from "./lance-addon-error.ts";

/** LanceDB, and the Arrow that it takes rows in. */
export interface LanceLibrary {
  lance: typeof import("@lancedb/lancedb");
  arrow: typeof import("apache-arrow");
}

/**
 * Loads both, with the addon from `addonPath`, or from its package if undefined. An executable replaces this module by one that has them
 * embedded: see scripts/building/embedded-lance.ts.
 */
export async function importLance(_addonPath: string | undefined): Promise<LanceLibrary> {
  await installAtFirstUse("@lancedb/lancedb", vectorsUnavailable);
  const [lance, arrow] = await Promise.all([import("@lancedb/lancedb"), import("apache-arrow")]);
  return { lance, arrow };
}
