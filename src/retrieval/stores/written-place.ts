import type { CollectionKey, VectorPlace, VectorStore } from "./vector-store.ts";

/** No tenant has this name. */
const key: CollectionKey = { tenant: "", kind: "place", name: "place" };

/**
 * The id of a server or an object store, written as the only row of a collection. If several processes write one at the same time, the
 * earliest is used.
 */
export async function writtenPlace({ open }: Pick<VectorStore, "open">): Promise<VectorPlace> {
  const rows = await open(key, 1);
  const read = async () => (await rows.list({}, { limit: 1 }))[0]?.id;
  let id = await read();
  if (id === undefined) {
    const made = Bun.randomUUIDv7();
    await rows.add({
      ids: [made],
      groups: ["place"],
      write: made,
      texts: ["The id of this place: Argosy's database knows by it where its vectors are."],
      metadata: [{}],
      vectors: Float32Array.of(1),
    });
    id = (await read()) ?? made;
  }
  return { id, instance: "" };
}
