import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { settle } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const root = "/v1/rag/pipelines";

function manifest(name: string, spec: object = {}): string {
  return JSON.stringify({ apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name }, spec });
}

function writeFile(daemon: Pick<TestDaemon, "workspace">, path: string, text: string): void {
  const file = join(daemon.workspace, "rag", path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Lets the watcher check the files once more. */
async function look(daemon: TestDaemon): Promise<void> {
  await daemon.clock.advance(1000);
  for (let turn = 0; turn < 20; turn++) await settle();
}

const send = (daemon: TestDaemon, method: string, path: string, body: string, type = "application/yaml") =>
  daemon.call(method, path, { body, headers: { "content-type": type } });

/** Returns each pipeline's name and status. */
async function listed(daemon: TestDaemon): Promise<Record<string, string>> {
  const { body } = await daemon.call("GET", root);
  return Object.fromEntries(
    body.pipelines.map(({ name, status }: { name: string; status: string }) => [name, status]),
  );
}

test("files are pipelines, one that is broken harms no other, and changes are taken", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  writeFile({ workspace }, "notes.rag.yaml", manifest("notes", { description: "Our notes" }));
  writeFile({ workspace }, "deep/broken.rag.yaml", "kind: RAGPipeline\nspec: {colection: x}");
  writeFile(
    { workspace },
    "unable.rag.yaml",
    manifest("unable", { embeddings: { provider: "openai", dimension: 0 } }),
  );
  await using daemon = await startDaemon({ workspace });
  expect(await listed(daemon)).toEqual({ broken: "failed", notes: "ready", unable: "failed" });
  const broken = (await daemon.call("GET", `${root}/broken`)).body;
  expect(broken).toMatchObject({ status: "failed", persisted: true, file: "rag/deep/broken.rag.yaml" });
  expect(broken.problems.some(({ line }: { line?: number }) => line === 2)).toBe(true);
  const notes = (await daemon.call("GET", `${root}/notes`)).body;
  expect(notes).toMatchObject({
    description: "Our notes",
    collection: "notes",
    file: "rag/notes.rag.yaml",
    spec: { retrieval: { top_k: 5, mode: "hybrid" }, chunking: { strategy: "recursive", chunk_size: 512 } },
  });

  writeFile(daemon, "notes.rag.yaml", manifest("notes", { retrieval: { top_k: 1 } }));
  writeFile(daemon, "deep/broken.rag.yaml", manifest("mended"));
  rmSync(join(workspace, "rag/unable.rag.yaml"));
  await look(daemon);
  expect(await listed(daemon)).toEqual({ mended: "ready", notes: "ready" });
  expect((await daemon.call("GET", `${root}/notes`)).body.spec.retrieval.top_k).toBe(1);

  // A broken change keeps the last good version.
  writeFile(daemon, "notes.rag.yaml", "nonsense: [");
  await look(daemon);
  const kept = (await daemon.call("GET", `${root}/notes`)).body;
  expect(kept).toMatchObject({ status: "ready", spec: { retrieval: { top_k: 1 } } });
  expect(kept.error).toContain("notes.rag.yaml");
  expect(daemon.logLines().filter((line) => line.includes('"pipeline.refused"')).length).toBe(3);
});

test("a pipeline's settings count for its collection, with and without its name", async () => {
  await using daemon = await startDaemon();
  const spec = {
    collection: "shelf",
    chunking: { strategy: "fixed", chunk_size: 20, overlap: 0 },
    retrieval: { top_k: 2, filters: { lang: "en" }, similarity_threshold: 0.05 },
  };
  await send(daemon, "POST", root, manifest("books", spec));
  const query = (body: object) => daemon.call("POST", "/v1/rag/query", { body: { query: "book", ...body } });
  expect((await query({ pipeline: "books" })).body).toEqual({ results: [] });
  expect((await query({ collection: "shelf" })).body).toEqual({ results: [] });

  const text = (lang: string) => ({
    text: `A book in ${lang}, a book to read, a book to keep.`,
    metadata: { lang },
  });
  const documents = ["en", "es", "en-GB"].map(text);
  const answer = await daemon.call("POST", "/v1/rag/ingest", { body: { collection: "shelf", documents } });
  expect(answer.body.chunks_created).toBeGreaterThan(6);
  for (const aim of [
    { collection: "shelf" },
    { pipeline: "books" },
    { pipeline: "books", collection: "shelf" },
  ]) {
    const { results } = (await query(aim)).body;
    expect(results).toHaveLength(2);
    for (const { metadata } of results) expect(metadata.lang).toBe("en");
  }
  // A question can only narrow the pipeline's filter, never widen it.
  expect((await query({ pipeline: "books", filters: { lang: "es" } })).body.results).toEqual([]);
  expect(
    (await query({ pipeline: "books", filters: { lang: { in: ["en", "es"] } } })).body.results,
  ).toHaveLength(2);
  expect(
    (await query({ pipeline: "books", top_k: 100, score_threshold: 0 })).body.results.length,
  ).toBeGreaterThan(2);
  expect((await daemon.call("GET", "/v1/rag/collections/shelf")).body.pipelines).toEqual(["books"]);
});

test("pipelines that are sent are created (an existing name is 409), replaced and deleted, in memory", async () => {
  await using daemon = await startDaemon();
  const created = await send(daemon, "POST", root, manifest("a", { retrieval: { top_k: 3 } }));
  expect([created.status, created.body.status, created.body.persisted]).toEqual([201, "ready", false]);
  const twice = await send(daemon, "POST", root, manifest("a"));
  expect([twice.status, twice.body.error]).toEqual([409, "pipeline_exists"]);
  const replaced = await send(
    daemon,
    "PUT",
    `${root}/a`,
    manifest("a", { retrieval: { top_k: 7 } }),
    "application/json",
  );
  expect([replaced.status, replaced.body.spec.retrieval.top_k]).toEqual([200, 7]);
  expect((await send(daemon, "PUT", `${root}/b`, manifest("b"))).status).toBe(201);
  const renamed = await send(daemon, "PUT", `${root}/b`, manifest("c"));
  expect([renamed.status, renamed.body.error]).toEqual([400, "invalid_manifest"]);
  expect((await daemon.call("DELETE", `${root}/a`)).body).toEqual({ status: "deleted", name: "a" });
  expect(await listed(daemon)).toEqual({ b: "ready" });
  for (const method of ["GET", "DELETE"]) {
    const answer = await daemon.call(method, `${root}/a`);
    expect([answer.status, answer.body.error]).toEqual([404, "pipeline_not_found"]);
  }
});

test.each<[string, object, string]>([
  ["an unknown key", { colection: "x" }, "spec.colection"],
  ["an unknown embedder", { embeddings: { provider: "magic" } }, "spec.embeddings.provider"],
  [
    "an embedder's unused key",
    { embeddings: { provider: "local_hash", model: "x" } },
    "spec.embeddings.model",
  ],
  [
    "a key without a variable",
    { embeddings: { provider: "openai", api_key_env: "NOT_SET_HERE" } },
    "spec.embeddings.api_key_env",
  ],
  [
    "a key sent elsewhere",
    { embeddings: { provider: "openai", endpoint: "https://evil.example/v1", api_key_env: "HOME" } },
    "spec.embeddings.api_key_env",
  ],
  [
    "a connection string",
    { vector_store: { backend: "pgvector", dsn: "postgres://x/y" } },
    "spec.vector_store.dsn",
  ],
  ["a local place", { vector_store: { backend: "lancedb", url: "/etc" } }, "spec.vector_store.url"],
  ["an unknown store", { vector_store: { backend: "pinecone" } }, "spec.vector_store.backend"],
  ["pgvector without a database", { vector_store: { backend: "pgvector" } }, "spec.vector_store"],
  ["overlap as large as chunks", { chunking: { chunk_size: 50, overlap: 50 } }, "spec.chunking.overlap"],
  ["an unknown strategy", { chunking: { strategy: "magic" } }, "spec.chunking.strategy"],
  [
    "a filter that is none",
    { retrieval: { filters: { a: { above: 1 } } } },
    "spec.retrieval.filters.a.above",
  ],
  ["a reranker without a model", { reranking: { enabled: true, provider: "cohere" } }, "spec.reranking"],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the manifest's own syntax.
  ["a variable", { description: "${HOME}" }, "spec.description"],
])("a pipeline that is sent is refused for %s", async (_, spec, path) => {
  await using daemon = await startDaemon();
  const answer = await send(daemon, "POST", root, manifest("a", spec));
  expect([answer.status, answer.body.error]).toEqual([400, "invalid_manifest"]);
  const paths = answer.body.problems.map((problem: { path: string }) => problem.path);
  expect(paths.some((found: string) => found.startsWith(path))).toBe(true);
  expect(await listed(daemon)).toEqual({});
});

test("a change of a pipeline from a file is 403 or 409 unless the operator allows it", async () => {
  using folder = temporaryFolder();
  const workspace = folder.path;
  writeFile({ workspace }, "notes.rag.yaml", manifest("notes"));
  {
    await using daemon = await startDaemon({ workspace });
    for (const refused of [
      await send(daemon, "PUT", `${root}/notes`, manifest("notes")),
      await daemon.call("DELETE", `${root}/notes`),
    ]) {
      expect([refused.status, refused.body.error]).toEqual([403, "owner_only"]);
    }
    for (const refused of [
      await daemon.asOwner("PUT", `${root}/notes`, { body: manifest("notes") }),
      await daemon.asOwner("DELETE", `${root}/notes`),
    ]) {
      expect([refused.status, refused.body.error]).toEqual([409, "pipeline_in_file"]);
    }
  }
  await using daemon = await startDaemon({
    workspace,
    configure: (config) => ({ ...config, persistAgents: true }),
  });
  const headers = { "content-type": "application/yaml" };
  const changed = manifest("notes", { retrieval: { top_k: 9 } });
  await daemon.asOwner("PUT", `${root}/notes`, { body: changed, headers });
  const kept = await daemon.asOwner("POST", root, { body: manifest("more"), headers });
  expect(kept.body).toMatchObject({ persisted: true, file: "rag/more.rag.yaml" });
  const read = (name: string) => JSON.parse(readFileSync(join(workspace, `rag/${name}.rag.yaml`), "utf8"));
  expect([read("notes").spec.retrieval.top_k, read("more").metadata.name]).toEqual([9, "more"]);
  await daemon.asOwner("DELETE", `${root}/more`);
  expect(() => read("more")).toThrow();
  await look(daemon);
  expect(await listed(daemon)).toEqual({ notes: "ready" });
});
