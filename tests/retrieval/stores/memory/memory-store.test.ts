import { expect, test } from "bun:test";
import { createMemoryStore } from "../../../../src/retrieval/stores/memory/memory-store.ts";
import { never, newKey, sampleBatch } from "../../../support/sample-vectors.ts";

const rows = (count: number, text = "") =>
  sampleBatch(
    Array.from({ length: count }, (_, at) => ({ id: `row-${at}`, text })),
    16,
  );

test("a full store is 503 for more rows, and takes them when there is room again", async () => {
  const store = createMemoryStore({ bytesMax: 1024 * 1024 });
  const key = newKey();
  const collection = await store.open(key, 16);
  await collection.add(rows(500));
  const refused = await collection.add(rows(1000, "x".repeat(2000))).catch((thrown) => thrown);
  expect(refused).toMatchObject({
    code: "vectors_unavailable",
    status: 503,
    message: expect.stringContaining("full (1 MiB)"),
  });
  expect(await collection.count()).toBe(500);

  // Replacing needs only room for the difference; removing and dropping free it.
  for (let round = 0; round < 20; round++) await collection.add(rows(500));
  await collection.remove({ group: "group-1" });
  await collection.add(rows(500));
  await store.drop(key);
  const again = await store.open(key, 16);
  for (let round = 0; round < 3; round++) {
    await again.add(rows(1500));
    await again.remove({ writes: ["write-1"] });
  }
  expect(await again.count()).toBe(0);
});

test("rows are the store's own: what a caller changes afterwards changes nothing", async () => {
  const store = createMemoryStore();
  const collection = await store.open(newKey(), 16);
  const batch = rows(1);
  const metadata = { list: [1] };
  await collection.add({ ...batch, metadata: [metadata] });
  metadata.list.push(2);
  batch.vectors.fill(0);
  const query = {
    vector: Float32Array.from({ length: 16 }, (_, at) => (at === 0 ? 1 : 0)),
    limit: 1,
    signal: never,
  };
  const [hit] = await collection.nearest(query);
  expect(hit).toMatchObject({ metadata: { list: [1] }, score: 1 });
  Object.assign(hit?.metadata ?? {}, { list: "changed" });
  expect(await collection.nearest(query)).toMatchObject([{ metadata: { list: [1] } }]);
});
