import { expect, test } from "bun:test";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";
import { type EmbeddingScript, startEmbeddingServer } from "../../../support/word-embedding-server.ts";

const documents = Array.from({ length: 40 }, (_, n) => ({
  id: `d${n}`,
  text: `The word number${n} stands here. `.repeat(30),
  metadata: { n },
}));

const chunked = { chunk_size: 100, chunk_overlap: 0 };

const query = (daemon: TestDaemon, more: object = {}) =>
  daemon.call("POST", "/v1/rag/query", {
    body: { collection: "notes", query: "number7", top_k: 3, ...more },
  });

async function putPipeline(daemon: TestDaemon, spec: object): Promise<void> {
  const manifest = { apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name: "notes" }, spec };
  expect((await daemon.asOwner("PUT", "/v1/rag/pipelines/notes", { body: manifest })).status).toBeLessThan(
    300,
  );
}

async function ended(daemon: TestDaemon, id: string) {
  for (;;) {
    const { body } = await daemon.call("GET", `/v1/rag/jobs/${id}`);
    if (body.ended_at !== undefined) return body;
    await settle();
  }
}

/** A collection filled with one embedder, whose pipeline now names another. */
async function startChanged(script: EmbeddingScript) {
  const embeddings = startEmbeddingServer(script, 24);
  const daemon = await startDaemon();
  await putPipeline(daemon, {});
  await daemon.call("POST", "/v1/rag/ingest", { body: { collection: "notes", documents, ...chunked } });
  await putPipeline(daemon, { embeddings: { provider: "openai", model: "m", endpoint: embeddings.url } });
  return {
    daemon,
    embeddings,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      embeddings[Symbol.dispose]();
    },
  };
}

test("after a change of the embedder, queries and ingests are 409 until the collection is re-indexed", async () => {
  await using world = await startChanged(() => undefined);
  const { daemon } = world;
  const before = (await daemon.call("GET", "/v1/rag/collections/notes")).body;
  expect(before).toMatchObject({ status: "reindex_needed", dimension: 384, documents: 40 });
  for (const answer of [
    await query(daemon),
    await daemon.call("POST", "/v1/rag/ingest", { body: { collection: "notes", documents } }),
  ]) {
    expect([answer.status, answer.body.error]).toEqual([409, "reindex_needed"]);
    expect(answer.body.hint).toContain("argosy rag reindex notes");
  }
  const accepted = await daemon.call("POST", "/v1/rag/collections/notes/reindex", { body: {} });
  expect(accepted.status).toBe(202);
  const job = await ended(daemon, accepted.body.job_id);
  expect(job).toMatchObject({
    kind: "reindex",
    status: "completed",
    documents_done: 40,
    chunks: before.chunks,
  });
  const after = (await daemon.call("GET", "/v1/rag/collections/notes")).body;
  expect(after).toEqual({ ...before, status: "ready", dimension: 24, embedder: after.embedder });
  expect(after.embedder).toContain("openai/m");
  const { results } = (await query(daemon)).body;
  expect(results).toHaveLength(3);
  expect(results[0]).toMatchObject({ metadata: { n: 7 }, citation: { document_id: "d7" } });
  // Unchanged documents are not embedded again.
  world.embeddings.requests.length = 0;
  const again = await daemon.call("POST", "/v1/rag/ingest", {
    body: { collection: "notes", documents, ...chunked },
  });
  expect(again.body).toMatchObject({ documents_ingested: 40, chunks_created: 0 });
  expect(world.embeddings.requests).toEqual([]);
  await daemon.call("DELETE", "/v1/rag/collections/notes/documents/d7");
  expect((await query(daemon, { filters: { n: 7 } })).body.results).toEqual([]);
});

test("a write during re-indexing is 409, and a failure leaves the collection as it was", async () => {
  const reached = Promise.withResolvers<void>();
  const held = Promise.withResolvers<number>();
  await using world = await startChanged((_texts, number) => {
    // The first request asks for the length of the vectors.
    if (number < 2) return undefined;
    reached.resolve();
    return held.promise;
  });
  const { daemon } = world;
  const { job_id: id } = (await daemon.call("POST", "/v1/rag/collections/notes/reindex", { body: {} })).body;
  await reached.promise;
  expect((await daemon.call("GET", "/v1/rag/collections/notes")).body.status).toBe("reindexing");
  await putPipeline(daemon, {});
  const refusals = [
    await daemon.call("POST", "/v1/rag/ingest", {
      body: { collection: "notes", documents: [{ text: "new" }] },
    }),
    await daemon.call("DELETE", "/v1/rag/collections/notes/documents/d1"),
  ];
  for (const { status, body } of refusals) expect([status, body.error]).toEqual([409, "collection_busy"]);
  const second = await daemon.call("POST", "/v1/rag/collections/notes/reindex", { body: {} });
  expect((await ended(daemon, second.body.job_id)).error.error).toBe("collection_busy");
  // Searches with the old embedder are not affected.
  expect((await query(daemon)).body.results).toHaveLength(3);
  held.resolve(400);
  expect(await ended(daemon, id)).toMatchObject({ status: "failed", error: { error: "embedder_failed" } });
  expect((await daemon.call("GET", "/v1/rag/collections/notes")).body).toMatchObject({
    status: "ready",
    dimension: 384,
    documents: 40,
  });
  expect((await query(daemon)).body.results).toHaveLength(3);
});

test("what is kept in memory is gone with its process, and so is what was known of it", async () => {
  using folder = temporaryFolder();
  const start = () => startDaemon({ workspace: folder.path });
  const ingest = (daemon: TestDaemon) =>
    daemon.call("POST", "/v1/rag/ingest", {
      body: { collection: "notes", documents: [{ text: "number7" }] },
    });
  {
    await using daemon = await start();
    await putPipeline(daemon, { vector_store: { backend: "memory" } });
    expect((await ingest(daemon)).body.chunks_created).toBe(1);
    expect((await daemon.call("GET", "/v1/rag/collections/notes")).body.backend).toBe("memory");
  }
  await using daemon = await start();
  expect((await daemon.call("GET", "/v1/rag/collections")).body).toEqual({ collections: [] });
  await putPipeline(daemon, { vector_store: { backend: "memory" } });
  expect((await ingest(daemon)).body.chunks_created).toBe(1);
  expect((await query(daemon)).body.results).toHaveLength(1);
  // In another store it is a different collection, and the error says so.
  await putPipeline(daemon, {});
  for (const answer of [await query(daemon), await ingest(daemon)]) {
    expect([answer.status, answer.body.error]).toEqual([409, "collection_elsewhere"]);
  }
  expect((await daemon.call("DELETE", "/v1/rag/collections/notes")).status).toBe(200);
  expect((await ingest(daemon)).status).toBe(200);
});
