import type { VectorStore } from "../../stores/vector-store.ts";
import type { LeftoverPlace } from "../collections/collection-registry.ts";
import { openRows, rowsKey } from "../collections/open-collection.ts";
import type { RagPorts } from "../rag-ports.ts";
import { removeDeadRows } from "./remove-document.ts";

/** Maximum collections per sweep step. */
const collectionsAtOnce = 100;

/**
 * Removes invisible data, each in its own store: rows of writes whose process died, rows of replaced documents that could not be removed at
 * once, and vectors of dropped collections. `storeOf` returns the store of an id; undefined while no settings name it, and then its
 * leftovers wait. Unreachable stores are tried in the next sweep.
 */
export async function sweepLeftovers(
  { registry, held, log }: Pick<RagPorts, "registry" | "held" | "log">,
  storeOf: (storeId: string) => VectorStore | undefined,
  signal: AbortSignal,
): Promise<void> {
  await registry.settleAbandoned();
  for (const at of await registry.leftoverPlaces()) {
    const store = storeOf(at.storeId);
    if (store === undefined) continue;
    try {
      // Leftovers in another store are removed by the process that has it.
      const place = await held.placeOf(store);
      if (place === undefined || at.place === null || at.place === place.id)
        await sweepPlace({ registry, log }, store, at, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      log.warn("rag.leftovers", { store: at.storeId, err: thrown });
    }
  }
}

async function sweepPlace(
  { registry, log }: Pick<RagPorts, "registry" | "log">,
  store: VectorStore,
  at: LeftoverPlace,
  signal: AbortSignal,
): Promise<void> {
  for (const { collection, rows: dead } of await registry.deadRows(at, collectionsAtOnce)) {
    signal.throwIfAborted();
    const key = { tenant: collection.tenant, collection: collection.id };
    try {
      await removeDeadRows(registry, key, await openRows({ store }, collection), dead);
    } catch (thrown) {
      log.warn("rag.leftovers", { collection: collection.name, err: thrown });
    }
  }
  for (const { tenant, vectors } of await registry.droppable(at, collectionsAtOnce)) {
    signal.throwIfAborted();
    try {
      await store.drop(rowsKey(tenant, vectors));
      await registry.forgetDropped(vectors);
    } catch (thrown) {
      log.warn("rag.leftovers", { vectors, err: thrown });
    }
  }
}
