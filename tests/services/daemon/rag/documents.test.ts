import { expect, test } from "bun:test";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";

const root = "/v1/rag/collections";
const documentPath = (id: string) => `${root}/notes/documents/${encodeURIComponent(id)}`;

const ingest = (daemon: TestDaemon, documents: object[], more: object = {}) =>
  daemon.call("POST", "/v1/rag/ingest", { body: { collection: "notes", documents, ...more } });

/** Returns the texts that a search finds. */
async function found(daemon: TestDaemon, query: string): Promise<string[]> {
  const body = { collection: "notes", query, top_k: 100 };
  const { body: answer } = await daemon.call("POST", "/v1/rag/query", { body });
  return answer.results.map(({ text }: { text: string }) => text);
}

test("collections are listed with what they hold, and deleted with it", async () => {
  await using daemon = await startDaemon();
  expect((await daemon.call("GET", root)).body).toEqual({ collections: [] });
  await ingest(daemon, [{ text: "one two three four", id: "a" }, { text: "five" }], {
    chunk_size: 10,
    chunk_overlap: 0,
  });
  const view = {
    name: "notes",
    backend: "lancedb",
    dimension: 384,
    documents: 2,
    pipelines: [],
    status: "ready",
    created_at: "2026-01-01T00:00:00.000Z",
  };
  const { body } = await daemon.call("GET", `${root}/notes`);
  expect(body).toMatchObject(view);
  expect(body.embedder).toStartWith("local_hash");
  expect(body.chunks).toBeGreaterThan(2);
  expect((await daemon.call("GET", root)).body).toEqual({ collections: [body] });

  const gone = await daemon.call("DELETE", `${root}/notes`);
  expect(gone.body).toEqual({ status: "deleted", collection: "notes", documents: 2 });
  for (const [method, path] of [
    ["GET", `${root}/notes`],
    ["DELETE", `${root}/notes`],
    ["GET", `${root}/notes/documents`],
    ["GET", documentPath("a")],
    ["DELETE", documentPath("a")],
    ["POST", `${root}/notes/reindex`],
  ] as const) {
    const answer = await daemon.call(method, path, method === "POST" ? { body: {} } : {});
    expect([answer.status, answer.body.error]).toEqual([404, "collection_not_found"]);
  }
  await ingest(daemon, [{ text: "six" }]);
  expect(await found(daemon, "six five")).toEqual(["six"]);
});

test("a collection's documents are paged by their ids; a wrong limit or cursor is 400", async () => {
  await using daemon = await startDaemon();
  const ids = ["A", "a", "b", "z", "é", "é/ü", "日", "😀"];
  await ingest(
    daemon,
    ids.toReversed().map((id) => ({ id, text: `text of ${id}` })),
  );
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { status, body } = await daemon.call("GET", `${root}/notes/documents?limit=3${query}`);
    expect(status).toBe(200);
    expect(body.documents.length).toBeLessThanOrEqual(3);
    seen.push(...body.documents.map(({ id }: { id: string }) => id));
    cursor = body.next;
  } while (cursor !== undefined);
  expect(seen).toEqual(ids);
  for (const query of ["limit=0", "limit=-1", "limit=x", "cursor=%00", "cursor=!!"]) {
    expect((await daemon.call("GET", `${root}/notes/documents?${query}`)).status).toBe(400);
  }
  expect((await daemon.call("GET", `${root}/notes/documents?limit=10000`)).body.documents).toHaveLength(8);
});

test("a document is shown, with its chunks, and deleted for good", async () => {
  await using daemon = await startDaemon();
  const text = "First things first. Then comes the second thing. And at last the third.";
  await ingest(
    daemon,
    [
      { id: "a", text, metadata: { by: "me" } },
      { id: "b", text: "Other things." },
    ],
    {
      chunk_size: 25,
      chunk_overlap: 5,
    },
  );
  const { body } = await daemon.call("GET", documentPath("a"));
  expect(body).toMatchObject({
    id: "a",
    collection: "notes",
    characters: text.length,
    metadata: { by: "me" },
  });
  const first = await daemon.call("GET", `${documentPath("a")}/chunks?limit=2`);
  const rest = await daemon.call("GET", `${documentPath("a")}/chunks?cursor=${first.body.next}`);
  const chunks = [...first.body.chunks, ...rest.body.chunks];
  expect(rest.body).not.toHaveProperty("next");
  expect(chunks.map(({ chunk }) => chunk)).toEqual(Array.from({ length: body.chunks }, (_, n) => n));
  for (const { text: piece, start, end } of chunks) expect(text.slice(start, end)).toBe(piece);

  expect(await found(daemon, "thing")).toContain(chunks[0].text);
  expect((await daemon.call("DELETE", documentPath("a"))).body).toEqual({
    status: "deleted",
    collection: "notes",
    id: "a",
  });
  expect(await found(daemon, "first second third thing")).toEqual(["Other things."]);
  for (const method of ["GET", "DELETE"]) {
    const answer = await daemon.call(method, documentPath("a"));
    expect([answer.status, answer.body.error]).toEqual([404, "document_not_found"]);
  }
  expect((await daemon.call("GET", `${documentPath("a")}/chunks`)).status).toBe(404);
});

test.each([
  ["text/plain", "Plain words about bees."],
  ["text/plain; charset=utf-8", "Plain words about bees."],
  ["text/markdown", "# Bees\n\nPlain words about bees."],
  ["text/html", "<html><head><title>T</title></head><body><p>Plain words about bees.</p></body></html>"],
])("a file of %s is read into a document", async (type, text) => {
  await using daemon = await startDaemon();
  const put = (body: string) =>
    daemon.call("PUT", documentPath("bees.file"), { body, headers: { "content-type": type } });
  const answer = await put(text);
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ collection: "notes", id: "bees.file", status: "created", chunks: 1 });
  expect((await found(daemon, "bees"))[0]).toContain("Plain words about bees.");
  expect((await put(text)).body).toMatchObject({ status: "unchanged" });
  expect((await put(text.replace("Plain", "Fancy"))).body).toMatchObject({ status: "replaced" });
  expect(await found(daemon, "bees")).toHaveLength(1);
});

test("the metadata of an upload is stored beside the metadata in the file", async () => {
  await using daemon = await startDaemon();
  const metadata = encodeURIComponent(JSON.stringify({ source: "desk", title: "Ours" }));
  const path = `${documentPath("a")}?metadata=${metadata}&chunk_size=20&chunk_overlap=0&name=a.txt`;
  const answer = await daemon.call("PUT", path, { body: "Words of a file that is longer than a chunk." });
  expect(answer.status).toBe(200);
  expect(answer.body.chunks).toBeGreaterThan(2);
  const { body } = await daemon.call("GET", documentPath("a"));
  expect(body.metadata).toMatchObject({ source: "desk", title: "Ours" });
});

test.each<[string, string, string | Uint8Array<ArrayBuffer>, Record<string, string>, number, string]>([
  ["nothing", "", "", { "content-type": "text/plain" }, 400, "invalid_request"],
  ["a form", "", "x", { "content-type": "multipart/form-data; boundary=x" }, 415, "unsupported_media_type"],
  ["a type that nobody reads", "", "x", { "content-type": "video/mp4" }, 415, "unsupported_media_type"],
  ["metadata that is not JSON", "?metadata=x", "x", {}, 400, "invalid_request"],
  ["metadata that is a list", "?metadata=[]", "x", {}, 400, "invalid_request"],
  ["a chunk_size that is none", "?chunk_size=x", "x", {}, 400, "invalid_request"],
  ["a chunk_size of 0", "?chunk_size=0", "x", {}, 400, "invalid_request"],
  ["too much overlap", "?chunk_size=10&chunk_overlap=10", "x", {}, 400, "invalid_request"],
  ["a pipeline that isn't there", "?pipeline=none", "x", {}, 404, "pipeline_not_found"],
  ["a PDF that is none", "", "x", { "content-type": "application/pdf" }, 422, "document_unreadable"],
])("PUT of a document refuses %s", async (_, query, body, headers, status, code) => {
  await using daemon = await startDaemon();
  const answer = await daemon.call("PUT", `${documentPath("a")}${query}`, { body, headers });
  expect([answer.status, answer.body.error]).toEqual([status, code]);
  expect((await daemon.call("GET", root)).body).toEqual({ collections: [] });
});

test("a file of more than 64 MiB is 413 by its length alone", async () => {
  await using daemon = await startDaemon();
  const answer = await daemon.call("PUT", documentPath("a"), {
    body: new Uint8Array(64 * 1024 * 1024 + 1),
    headers: { "content-type": "text/plain" },
  });
  expect([answer.status, answer.body.error]).toEqual([413, "body_too_large"]);
});

test("cutting can be tried out without storing anything; wrong settings are 400", async () => {
  await using daemon = await startDaemon();
  const chunk = (body: object) => daemon.call("POST", "/v1/rag/chunk", { body });
  const text = "One sentence here. Another one there. ".repeat(50);
  const { status, body } = await chunk({ text, strategy: "sentence", chunk_size: 60, chunk_overlap: 0 });
  expect(status).toBe(200);
  expect(body.count).toBe(body.chunks.length);
  expect(body.chunks.map((one: { text: string }) => one.text).join("")).toBe(text);
  expect((await daemon.call("GET", root)).body).toEqual({ collections: [] });
  const refusals = [
    {},
    { text: "" },
    { text: "  " },
    { text: "a", strategy: "magic" },
    { text: "a", chunk_size: 10, chunk_overlap: 10 },
    { text: "a", chunk_size: -5 },
  ];
  for (const refused of refusals) expect((await chunk(refused)).status).toBe(400);
  expect((await chunk({ text, pipeline: "none" })).body.error).toBe("pipeline_not_found");
  expect((await chunk({ text: "x".repeat(1_000_001), chunk_size: 2, chunk_overlap: 1 })).body.error).toBe(
    "too_many_chunks",
  );
});
