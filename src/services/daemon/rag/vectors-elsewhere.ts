import { toAppError } from "../../../kit/app-error.ts";
import { openHeld } from "../../../retrieval/rag/open-collection.ts";
import { isElsewhere } from "../../../retrieval/stores/held-vectors.ts";
import type { DaemonRag } from "./daemon-rag.ts";

/** Collections that are looked at: opening one may cost a call to a server. */
const collectionsMax = 200;

/** What is said of each collection, of any tenant, whose vectors are not in the place that this process uses. */
export async function collectionsElsewhere({
  ports,
  storeById,
}: Pick<DaemonRag, "ports" | "storeById">): Promise<string[]> {
  const said: string[] = [];
  for (const collection of await ports.registry.listFilled(collectionsMax)) {
    const store = storeById(collection.storeId);
    if (store === undefined) continue;
    try {
      await openHeld(ports, { store }, collection, true);
    } catch (thrown) {
      // What keeps a store from answering is told by the look at the store.
      if (isElsewhere(thrown)) said.push(toAppError(thrown).message);
    }
  }
  return said;
}
