import { afterAll, beforeAll, expect, test } from "bun:test";
import { systemClock } from "../../../../src/kit/clock.ts";
import { createStoreHttp } from "../../../../src/retrieval/stores/http/store-http.ts";
import { pointId } from "../../../../src/retrieval/stores/qdrant/qdrant-point.ts";
import { createQdrantStore } from "../../../../src/retrieval/stores/qdrant/qdrant-store.ts";
import { type QdrantStandIn, startQdrantStandIn } from "../../../support/qdrant-stand-in.ts";
import { never, newKey, sampleBatch } from "../../../support/sample-vectors.ts";

let server: QdrantStandIn;
beforeAll(async () => {
  server = await startQdrantStandIn({ apiKey: "right-key" });
});
afterAll(() => server.stop());

function storeWith(key: string) {
  const fetchHere = (url: string, init: RequestInit) => fetch(url, init);
  const options = {
    server: "Qdrant",
    url: server.url,
    fetch: fetchHere,
    clock: systemClock,
    random: Math.random,
  };
  return createQdrantStore({ http: createStoreHttp({ ...options, headers: { "api-key": key } }) });
}

test("the error for a wrong key names its setting", async () => {
  const thrown = await storeWith("wrong-key")
    .check()
    .catch((one) => one);
  expect(thrown.code).toBe("vectors_unavailable");
  expect(thrown.message).toContain("api_key_env");
  expect(thrown.message).not.toContain("wrong-key");
});

test("points have the UUID of their id, always the same", () => {
  expect(pointId("document#1")).toBe(pointId("document#1"));
  expect(pointId("document#1")).not.toBe(pointId("document#2"));
  expect(pointId("😀")).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("opening asks once when all is there, and numbers get their index at the first comparison", async () => {
  const store = storeWith("right-key");
  const key = newKey();
  const collection = await store.open(key, 2);
  await collection.add(sampleBatch([{ id: "a", metadata: { year: 2020 } }], 2));
  server.calls.clear();
  await store.open(key, 2);
  expect([...server.calls]).toEqual([["GET /collections/{name}", 1]]);

  server.calls.clear();
  const search = { vector: Float32Array.of(1, 0), limit: 1, signal: never };
  for (const year of [2019, 2020, 2021])
    await collection.nearest({ ...search, filter: { year: { gte: year } } });
  expect(server.calls.get("PUT /collections/{name}/index")).toBe(1);
});
