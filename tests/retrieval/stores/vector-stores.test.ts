import { expect, test } from "bun:test";
import type { AppError } from "../../../src/kit/app-error.ts";
import type { VectorStorePorts, VectorStoreSettings } from "../../../src/retrieval/stores/store-kind.ts";
import { createVectorStores, vectorStoreNames } from "../../../src/retrieval/stores/vector-stores.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { recordingLogger } from "../../support/recording-logger.ts";
import { never, newKey, sampleBatch } from "../../support/sample-vectors.ts";

function portsWith(more: Partial<VectorStorePorts> = {}) {
  const clock = new FakeClock();
  const { log, logged } = recordingLogger();
  const asked: { url: string; headers: Headers }[] = [];
  const ports: VectorStorePorts = {
    fetch: async (url, init) => {
      asked.push({ url, headers: new Headers(init.headers) });
      return new Response("no", { status: 400 });
    },
    clock,
    log,
    random: () => 0.5,
    variable: (name) => (name === "VECTORS_KEY" ? "a-secret-key" : undefined),
    dataFolder: "/nowhere/at/all",
    ...more,
  };
  return { ports, clock, logged, asked };
}

test("there are five", () => {
  expect(vectorStoreNames).toEqual(["lancedb", "pgvector", "qdrant", "chroma", "memory"]);
});

test("equal settings give the same store, other settings another", async () => {
  const { ports } = portsWith();
  const { storeOf, close } = createVectorStores(ports);
  expect(storeOf({ backend: "memory" })).toBe(storeOf({ backend: "memory" }));
  expect(storeOf({})).toBe(storeOf({ backend: "lancedb" }));
  expect(storeOf({ backend: "qdrant", url: "http://a" })).not.toBe(
    storeOf({ backend: "qdrant", url: "http://b" }),
  );
  expect(storeOf({ backend: "pgvector", dsn: "postgres://a/b" }).backend).toBe("pgvector");
  await close();
});

test.each<[VectorStoreSettings, string[]]>([
  [{ backend: "lancedb", url: "http://vectors:6333" }, ["url"]],
  [{ backend: "lancedb", url: "s3://" }, ["url"]],
  [{ url: "file:///etc" }, ["url"]],
  [{ backend: "lancedb", dsn: "postgres://a/b", api_key_env: "VECTORS_KEY" }, ["api_key_env", "dsn"]],
  [{ backend: "pgvector" }, ["dsn"]],
  [{ backend: "pgvector", dsn: "mysql://a/b" }, ["dsn"]],
  [{ backend: "pgvector", url: "http://a/b" }, ["url"]],
  [{ backend: "pgvector", dsn: "postgres://a/b", url: "postgres://c/d" }, ["url"]],
  [{ backend: "pgvector", dsn: "postgres://a/b", api_key_env: "VECTORS_KEY" }, ["api_key_env"]],
  [{ backend: "qdrant" }, ["url"]],
  [{ backend: "qdrant", url: "vectors:6333" }, ["url"]],
  [{ backend: "qdrant", url: "http://user:hunter22@vectors" }, ["url"]],
  [{ backend: "qdrant", url: "http://vectors?api-key=x" }, ["url"]],
  [{ backend: "qdrant", url: "http://vectors", api_key_env: "UNSET" }, ["api_key_env"]],
  [{ backend: "qdrant", url: "http://vectors", dsn: "postgres://a/b" }, ["dsn"]],
  [{ backend: "chroma" }, ["url"]],
  [{ backend: "chroma", url: "ftp://vectors", dsn: "x" }, ["dsn", "url"]],
  [{ backend: "memory", url: "http://vectors", api_key_env: "X", dsn: "y" }, ["url", "api_key_env", "dsn"]],
  [{ backend: "qdrand" }, ["backend"]],
])("%j can't be honoured because of %j", (settings, paths) => {
  const { storeOf, problemsOf } = createVectorStores(portsWith().ports);
  expect(problemsOf(settings).map(({ path }) => path)).toEqual(paths);
  try {
    storeOf(settings);
    expect.unreachable();
  } catch (thrown) {
    const { code, message, details } = thrown as AppError;
    expect(code).toBe("invalid_manifest");
    expect(details.problems?.map(({ path }) => path)).toEqual(paths);
    expect(message).not.toMatch(/hunter22|secret/);
  }
});

test.each<VectorStoreSettings>([
  {},
  { backend: "lancedb", url: "s3://bucket/vectors" },
  { url: "gs://bucket" },
  { url: "az://container/path" },
  { backend: "pgvector", dsn: "postgresql://u:p@h/d?sslmode=require" },
  { backend: "pgvector", url: "postgres://h/d" },
  { backend: "qdrant", url: "https://vectors.example:6333/", api_key_env: "VECTORS_KEY" },
  { backend: "chroma", url: "http://127.0.0.1:8000" },
  { backend: "memory" },
])("%j is taken, and nothing is asked or loaded for it", async (settings) => {
  const { ports, asked } = portsWith();
  const stores = createVectorStores(ports);
  stores.storeOf(settings);
  expect(stores.problemsOf(settings)).toEqual([]);
  await stores.close();
  expect(asked).toEqual([]);
});

test("DATABASE_URL is enough for pgvector; runtime.yaml names another default, whose key goes nowhere else", async () => {
  const database = createVectorStores(portsWith({ databaseUrl: "postgres://h/d" }).ports);
  expect(database.problemsOf({ backend: "pgvector" })).toEqual([]);

  const defaults = { backend: "qdrant", url: "http://vectors:6333", api_key_env: "VECTORS_KEY" };
  const { ports, asked } = portsWith({ defaults });
  const stores = createVectorStores(ports);
  expect(stores.storeOf({})).toBe(stores.storeOf(defaults));
  expect(stores.storeOf({ backend: "qdrant" })).toBe(stores.storeOf({}));
  expect(stores.storeOf({ backend: "lancedb" }).backend).toBe("lancedb");
  for (const settings of [{}, { url: "http://elsewhere" }])
    await stores
      .storeOf(settings)
      .check()
      .catch(() => undefined);
  expect(asked.map(({ url, headers }) => [url, headers.get("api-key")])).toEqual([
    ["http://vectors:6333/collections", "a-secret-key"],
    ["http://elsewhere/collections", null],
  ]);
});

test.each([
  ["http://c:8000", "http://c:8000/api/v2/tenants/default_tenant/databases/default_database"],
  ["http://c:8000/", "http://c:8000/api/v2/tenants/default_tenant/databases/default_database"],
  ["https://c/api/v2", "https://c/api/v2/tenants/default_tenant/databases/default_database"],
  ["https://c/tenants/t-1/databases/d", "https://c/api/v2/tenants/t-1/databases/d"],
  ["https://c/proxy/api/v2/tenants/t/databases/d/", "https://c/proxy/api/v2/tenants/t/databases/d"],
])("Chroma at %s is asked at %s", async (url, database) => {
  const { ports, asked } = portsWith();
  const { storeOf } = createVectorStores(ports);
  await storeOf({ backend: "chroma", url, api_key_env: "VECTORS_KEY" })
    .check()
    .catch(() => undefined);
  expect(asked.map((call) => call.url)).toEqual([`${database}/collections_count`]);
  expect(asked[0]?.headers.get("x-chroma-token")).toBe("a-secret-key");
});

test("the stores in use are maintained every minute; one that fails is reported and tried again", async () => {
  const { ports, clock, logged } = portsWith();
  const stores = createVectorStores(ports);
  const memory = stores.storeOf({ backend: "memory" });
  await (await memory.open(newKey(), 2)).add(sampleBatch([{ id: "a" }], 2));
  let rounds = 0;
  memory.maintain = async () => {
    rounds++;
    throw new Error("no room");
  };
  const controller = new AbortController();
  const running = stores
    .worker()
    .run(controller.signal)
    .catch((thrown) => thrown);
  await clock.advance(59_999);
  expect(rounds).toBe(0);
  await clock.advance(1);
  expect(rounds).toBe(1);
  await clock.advance(120_000);
  expect(rounds).toBe(3);
  expect(logged.map(({ event, fields }) => [event, fields?.backend])).toEqual(
    Array(3).fill(["vectors.maintenance_failed", "memory"]),
  );
  controller.abort("stop");
  expect(await running).toBeUndefined();
});

test("after closing nothing can be used", async () => {
  const stores = createVectorStores(portsWith().ports);
  const collection = await stores.storeOf({ backend: "memory" }).open(newKey(), 2);
  await stores.close();
  const query = { vector: Float32Array.of(1, 0), limit: 1, signal: never };
  for (const work of [collection.nearest(query), stores.storeOf({ backend: "memory" }).open(newKey(), 2)])
    expect(await work.catch((thrown) => thrown)).toMatchObject({ code: "vectors_unavailable" });
});
