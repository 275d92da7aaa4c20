import type { VectorStore } from "../../stores/vector-store.ts";
import type { LeftoverPlace } from "../collections/collection-registry.ts";
import { openRows, rowsKey } from "../collections/open-collection.ts";
import type { RagPorts } from "../rag-ports.ts";
import { removeDeadRows } from "./remove-document.ts";

/** Maximum collections per sweep step. */
const collectionsAtOnce = 100;

/** Does work on each row that a sweep found, in the sweep's way. The key is the row's name in every sweep. */
export type ForEach = <Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  work: (row: Row) => Promise<void>,
) => Promise<void>;

/**
 * Removes invisible data, each in its own store: rows of writes whose process died, rows of replaced documents that could not be removed at
 * once, and vectors of dropped collections. `storeOf` returns the store of an id; undefined while no settings name it, and then its
 * leftovers wait. Unreachable stores are tried in the next sweep.
 */
export async function sweepLeftovers(
  { registry, held, log }: Pick<RagPorts, "registry" | "held" | "log">,
  storeOf: (storeId: string) => VectorStore | undefined,
  forEach: ForEach,
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
        await sweepPlace({ registry, log, forEach }, store, at, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      log.warn("rag.leftovers", { store: at.storeId, err: thrown });
    }
  }
}

async function sweepPlace(
  { registry, log, forEach }: Pick<RagPorts, "registry" | "log"> & { forEach: ForEach },
  store: VectorStore,
  at: LeftoverPlace,
  signal: AbortSignal,
): Promise<void> {
  const attempt = async (facts: object, work: () => Promise<unknown>) => {
    signal.throwIfAborted();
    try {
      await work();
    } catch (thrown) {
      log.warn("rag.leftovers", { ...facts, err: thrown });
    }
  };
  await forEach(
    await registry.deadRows(at, collectionsAtOnce),
    ({ collection }) => `${collection.tenant}/${collection.name}/${collection.vectors}`,
    ({ collection, rows: dead }) =>
      attempt({ collection: collection.name }, async () => {
        const key = { tenant: collection.tenant, collection: collection.id };
        await removeDeadRows(registry, key, await openRows({ store }, collection), dead);
      }),
  );
  await forEach(
    await registry.droppable(at, collectionsAtOnce),
    ({ tenant, vectors }) => `${tenant}/${vectors}`,
    ({ tenant, vectors }) =>
      attempt({ vectors }, async () => {
        await store.drop(rowsKey(tenant, vectors));
        await registry.forgetDropped(vectors);
      }),
  );
}
