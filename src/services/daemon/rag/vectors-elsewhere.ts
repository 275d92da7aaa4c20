import { toAppError } from "../../../kit/app-error.ts";
import { openHeld } from "../../../retrieval/rag/collections/open-collection.ts";
import { isElsewhere } from "../../../retrieval/stores/held-vectors.ts";
import type { DaemonRag } from "./daemon-rag.ts";

/** Maximum number of collections checked, because opening one may need a call to a server. */
const collectionsMax = 200;

/** Returns a message for each collection, of any tenant, whose vectors are not in the place that this process uses. */
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
      // A store that doesn't answer is reported by its own check.
      if (isElsewhere(thrown)) said.push(toAppError(thrown).message);
    }
  }
  return said;
}
