import { expect, test } from "bun:test";
import { AppError } from "../../../src/kit/app-error.ts";
import type { VectorBatch, VectorCollection } from "../../../src/retrieval/stores/vector-store.ts";
import { never, newKey, sampleBatch } from "../../support/sample-vectors.ts";
import { onEachVectorStore } from "../../support/vector-stores.ts";

const dimension = 3;
const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown) => thrown,
  );
const search = { vector: Float32Array.of(1, 0, 0), limit: 10, signal: never };

onEachVectorStore("faults", (tested) => {
  test("vectors of another length are 409 everywhere, and nothing is written", async () => {
    await using store = tested.open();
    const key = newKey();
    const collection = await store.open(key, dimension);
    await collection.add(sampleBatch([{ id: "a" }], dimension));
    const mismatch = { code: "dimension_mismatch", status: 409 };
    const longer = new Float32Array(4).fill(1);
    expect(await thrownBy(store.open(key, 4))).toMatchObject(mismatch);
    expect(await thrownBy(collection.add(sampleBatch([{ id: "b" }], 4)))).toMatchObject(mismatch);
    expect(await thrownBy(collection.nearest({ ...search, vector: longer }))).toMatchObject(mismatch);
    if (collection.matching)
      expect(await thrownBy(collection.matching({ ...search, vector: longer, text: "a" }))).toMatchObject(
        mismatch,
      );
    expect(await collection.count()).toBe(1);
  });

  test.each<[string, Partial<VectorBatch>]>([
    ["a number that is none", { vectors: Float32Array.of(1, Number.NaN, 0) }],
    ["an infinite number", { vectors: Float32Array.of(1, Number.POSITIVE_INFINITY, 0) }],
    ["columns of other lengths", { texts: [] }],
    ["an empty id", { ids: [""] }],
    ["an id without end", { ids: ["x".repeat(100_000)] }],
  ])("a batch with %s is refused", async (_, fault) => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const batch = { ...sampleBatch([{ id: "a" }], dimension), ...fault };
    expect(await thrownBy(collection.add(batch))).toMatchObject({ code: "invalid_request", status: 400 });
    expect(await collection.count()).toBe(0);
  });

  test("a search ends with the reason of its signal, before and while it works", async () => {
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const rows = Array.from({ length: 300 }, (_, at) => ({ id: `row ${at}` }));
    await collection.add(sampleBatch(rows, dimension));
    const reason = new AppError("timed_out", "gone", "The caller went away.");
    expect(await thrownBy(collection.nearest({ ...search, signal: AbortSignal.abort(reason) }))).toBe(reason);
    const byWords = { ...search, text: "row", signal: AbortSignal.abort(reason) };
    if (collection.matching) expect(await thrownBy(collection.matching(byWords))).toBe(reason);

    const controller = new AbortController();
    const asked = thrownBy(collection.nearest({ ...search, signal: controller.signal }));
    controller.abort(reason);
    // The request may already have been answered.
    expect([reason, undefined].includes((await asked) as AppError)).toBe(true);
    expect(await collection.nearest(search)).toHaveLength(10);
  });

  test("a closed store is 503 `vectors_unavailable`, and can be closed twice", async () => {
    const store = tested.open();
    const collection = await store.open(newKey(), dimension);
    await collection.add(sampleBatch([{ id: "a" }], dimension));
    await store.close();
    await store.close();
    if (tested.backend === "memory" || tested.backend === "pgvector")
      expect(await thrownBy(collection.count())).toMatchObject({ code: "vectors_unavailable", status: 503 });
  });

  test("check passes while the store answers", async () => {
    await using store = tested.open();
    await store.check();
  });

  if (!tested.hasServer) return;

  test("a server that is away is 503 without secrets, and everything works when it is back", async () => {
    const server = tested.server();
    if (!server) throw new Error("There is no server.");
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    await collection.add(sampleBatch([{ id: "a" }], dimension));
    await server.crash();
    try {
      const work = [
        collection.nearest(search),
        collection.add(sampleBatch([{ id: "b" }], dimension)),
        collection.remove({ ids: ["a"] }),
        store.open(newKey(), dimension),
        store.check(),
      ];
      for (const thrown of await Promise.all(work.map(thrownBy))) {
        expect(thrown).toMatchObject({ code: "vectors_unavailable", status: 503 });
        const { message } = thrown as AppError;
        expect(message).toContain("can't be reached");
        expect(message).not.toMatch(/127\.0\.0\.1|password|qdrant-key|select|insert/i);
      }
    } finally {
      await server.start();
    }
    tested.pauseIsOver();
    await store.check();
    expect((await collection.nearest(search)).map(({ id }) => id)).toEqual(["a"]);
    await collection.add(sampleBatch([{ id: "b" }], dimension));
    expect(await collection.count()).toBe(2);
  });

  test("under load a restart loses nothing that was acknowledged", async () => {
    const server = tested.server();
    if (!server) throw new Error("There is no server.");
    await using store = tested.open();
    const collection = await store.open(newKey(), dimension);
    const acknowledged = new Set<string>();
    const failures: unknown[] = [];
    const stop = new AbortController();
    const writers = Array.from({ length: 3 }, (_, writer) =>
      keepAdding(collection, writer, stop.signal, acknowledged, async (thrown) => {
        failures.push(thrown);
        tested.pauseIsOver();
        await new Promise((resolve) => setImmediate(resolve));
      }),
    );
    const reached = async (count: number) => {
      while (acknowledged.size < count) await new Promise((resolve) => setImmediate(resolve));
    };
    for (let restart = 1; restart <= 2; restart++) {
      await reached(restart * 15);
      await server.crash();
      await server.start();
    }
    await reached(60);
    stop.abort();
    await Promise.all(writers);
    const ids = (await collection.list({}, { limit: 10_000 })).map(({ id }) => id);
    expect([...acknowledged].filter((id) => !ids.includes(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    for (const thrown of failures) expect(thrown).toMatchObject({ code: "vectors_unavailable" });
  });
});

async function keepAdding(
  collection: VectorCollection,
  writer: number,
  stop: AbortSignal,
  acknowledged: Set<string>,
  failed: (thrown: unknown) => Promise<void>,
): Promise<void> {
  for (let at = 0; !stop.aborted; at++) {
    const id = `${writer}-${at}`;
    await collection.add(sampleBatch([{ id }], dimension)).then(() => acknowledged.add(id), failed);
  }
}
