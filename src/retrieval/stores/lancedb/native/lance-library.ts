/** LanceDB, and the Arrow library for its rows. */
export interface LanceLibrary {
  lance: typeof import("@lancedb/lancedb");
  arrow: typeof import("apache-arrow");
}

/**
 * Loads both, with the addon from `addonPath`, or from its package if undefined. An executable replaces this module by one that has them
 * embedded: see scripts/building/embedded-lance.ts.
 */
export async function importLance(_addonPath: string | undefined): Promise<LanceLibrary> {
  const [lance, arrow] = await Promise.all([import("@lancedb/lancedb"), import("apache-arrow")]);
  return { lance, arrow };
}
