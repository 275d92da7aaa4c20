import type { VectorCollection } from "../stores/vector-store.ts";
import type { CollectionKeyOf, CollectionRegistry, DeadRows } from "./collection-registry.ts";

/**
 * Removes dead rows from the vector store, then forgets them; may be repeated. Removing many rows at once costs a store no more than
 * removing one document, so writes without documents are removed as a whole.
 */
export async function removeDeadRows(
  registry: CollectionRegistry,
  key: CollectionKeyOf,
  rows: VectorCollection,
  dead: readonly DeadRows[],
): Promise<void> {
  if (dead.length === 0) return;
  const shared = new Set(dead.filter(({ documentId }) => documentId !== "").map(({ write }) => write));
  const whole = new Set(dead.filter(({ documentId }) => documentId === "").map(({ write }) => write));
  for (const write of await registry.emptied(key, [...shared])) whole.add(write);
  if (whole.size > 0) await rows.remove({ writes: [...whole] });
  for (const { write, documentId } of dead) {
    if (!whole.has(write)) await rows.remove({ group: documentId, writes: [write] });
  }
  await registry.forgetDead(key, dead);
}
