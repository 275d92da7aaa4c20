import type { VectorStore } from "../stores/vector-store.ts";
import { openRows, rowsKey } from "./open-collection.ts";
import type { RagPorts } from "./rag-ports.ts";
import { removeDeadRows } from "./remove-dead-rows.ts";

/** How much one look takes on. */
const collectionsAtOnce = 100;

/**
 * Removes what nobody sees any more: rows of writes whose process died, rows of replaced documents that could not be removed
 * at once, vectors of dropped collections. `storeOf` gives the store of an id, undefined while no settings name it: then its
 * leftovers wait. What can't be reached now is tried at the next look.
 */
export async function sweepLeftovers(
  { registry, log }: Pick<RagPorts, "registry" | "log">,
  storeOf: (storeId: string) => VectorStore | undefined,
  signal: AbortSignal,
): Promise<void> {
  await registry.settleAbandoned();
  for (const { collection, rows: dead } of await registry.deadRows(collectionsAtOnce)) {
    signal.throwIfAborted();
    const store = storeOf(collection.storeId);
    if (store === undefined) continue;
    const key = { tenant: collection.tenant, collection: collection.id };
    try {
      await removeDeadRows(registry, key, await openRows({ store }, collection), dead);
    } catch (thrown) {
      log.warn("rag.leftovers", { collection: collection.name, err: thrown });
    }
  }
  for (const { tenant, vectors, storeId } of await registry.droppable(collectionsAtOnce)) {
    signal.throwIfAborted();
    const store = storeOf(storeId);
    if (store === undefined) continue;
    try {
      await store.drop(rowsKey(tenant, vectors));
      await registry.forgetDropped(vectors);
    } catch (thrown) {
      log.warn("rag.leftovers", { vectors, err: thrown });
    }
  }
}
