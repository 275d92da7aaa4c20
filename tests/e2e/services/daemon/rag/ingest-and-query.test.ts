import { expect, test } from "bun:test";
import hostileStrings from "../../../../corpora/strings_hostile.json" with { type: "json" };
import { type Answer, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";

const ingest = (daemon: TestDaemon, body: object, headers?: Record<string, string>) =>
  daemon.call("POST", "/v1/rag/ingest", { body, ...(headers && { headers }) });
const query = (daemon: TestDaemon, body: object) => daemon.call("POST", "/v1/rag/query", { body });

/** Returns the ids of the documents that a question finds, best first. */
async function found(daemon: TestDaemon, body: object): Promise<string[]> {
  const { status, body: answer } = await query(daemon, { collection: "house", query: "the", ...body });
  expect(status).toBe(200);
  return answer.results.map((result: { citation: { document_id: string } }) => result.citation.document_id);
}

const documents = [
  {
    id: "boiler",
    text: "The boiler is in the cellar and is oiled each spring.",
    metadata: { room: "cellar", year: 2024, tags: ["warm", "old"], place: { floor: -1 } },
  },
  {
    id: "bees",
    text: "The bees live in the garden and like the lime tree.",
    metadata: { room: "garden", year: 2025, tags: ["warm"] },
  },
  {
    id: "tax",
    text: "The tax return is due in June; papers are in the blue folder.",
    metadata: { room: "office", year: 2026, urgent: true },
  },
];

test("documents come in and passages come out, as documented", async () => {
  await using daemon = await startDaemon();
  const plain = documents.map(({ text, metadata }) => ({ text, metadata }));
  const answer = await ingest(daemon, { collection: "house", documents: plain });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ collection: "house", documents_ingested: 3, chunks_created: 3 });

  const answered = await query(daemon, { collection: "house", query: "where is the boiler?", top_k: 2 });
  expect(answered.status).toBe(200);
  expect(answered.body.results).toHaveLength(2);
  const [best, next] = answered.body.results;
  expect(best).toMatchObject({
    text: documents[0]?.text,
    metadata: documents[0]?.metadata,
    citation: { document_id: answer.body.documents[0].id, chunk: 0, start: 0, end: 53 },
  });
  for (const { score } of [best, next]) expect(score).toBeWithin(0, 1.0000001);
  expect(best.rank_score).toBeGreaterThan(next.rank_score);

  const again = await ingest(daemon, { collection: "house", documents: plain });
  expect(again.body).toMatchObject({ documents_ingested: 3, chunks_created: 0 });
  expect(again.body.documents.map(({ status }: { status: string }) => status)).toEqual(
    Array(3).fill("unchanged"),
  );
  expect((await query(daemon, { collection: "house", query: "the", top_k: 100 })).body.results).toHaveLength(
    3,
  );
});

test("a document id replaces its document", async () => {
  await using daemon = await startDaemon();
  await ingest(daemon, { collection: "house", documents });
  const newer = { id: "boiler", text: "The boiler was sold." };
  const answer = await ingest(daemon, { collection: "house", documents: [newer] });
  expect(answer.body.documents).toEqual([{ id: "boiler", status: "replaced", chunks: 1 }]);
  const { results } = (await query(daemon, { collection: "house", query: "boiler", top_k: 100 })).body;
  expect(results).toHaveLength(3);
  expect(results[0].text).toBe("The boiler was sold.");
});

test.each<[string, Record<string, unknown>, string[]]>([
  ["a value", { room: "garden" }, ["bees"]],
  ["a list of values", { room: { in: ["garden", "office"] } }, ["bees", "tax"]],
  ["a range", { year: { gte: 2025 } }, ["bees", "tax"]],
  ["both ends", { year: { gt: 2024, lt: 2026 } }, ["bees"]],
  ["a member of a list", { tags: "old" }, ["boiler"]],
  ["a nested key", { "place.floor": { lt: 0 } }, ["boiler"]],
  ["a truth", { urgent: true }, ["tax"]],
  ["several at once", { tags: "warm", year: { gte: 2025 } }, ["bees"]],
  ["nothing that is there", { room: "attic" }, []],
])("a filter by %s", async (_, filters, expected) => {
  await using daemon = await startDaemon();
  await ingest(daemon, { collection: "house", documents });
  for (const mode of ["hybrid", "vector"]) {
    expect((await found(daemon, { filters, mode, top_k: 10 })).sort()).toEqual(expected);
  }
});

test("modes search by what they are called after, and thresholds act on similarity", async () => {
  await using daemon = await startDaemon();
  await ingest(daemon, { collection: "house", documents });
  const words = { query: "boiler folder", top_k: 10 };
  expect((await found(daemon, { ...words, mode: "text" })).sort()).toEqual(["boiler", "tax"]);
  expect((await found(daemon, { ...words, mode: "vector" })).length).toBe(3);
  expect((await found(daemon, { ...words, mode: "hybrid" })).length).toBe(3);
  const { results } = (await query(daemon, { collection: "house", ...words, mode: "vector" })).body;
  const [first, second] = results.map(({ score }: { score: number }) => score);
  const between = (first + second) / 2;
  for (const mode of ["vector", "hybrid", "text"]) {
    const kept = await query(daemon, { collection: "house", ...words, mode, score_threshold: between });
    for (const { score } of kept.body.results) expect(score).toBeGreaterThanOrEqual(between);
    expect(kept.body.results).toHaveLength(1);
  }
});

const good = { collection: "house", documents: [{ text: "a" }] };

test.each<[string, object, string]>([
  ["no collection", { documents: [{ text: "a" }] }, "collection"],
  ["no documents", { collection: "house" }, "documents"],
  ["an empty list", { ...good, documents: [] }, "documents"],
  ["too many documents", { ...good, documents: Array(10_001).fill({ text: "a" }) }, "documents"],
  ["no text", { ...good, documents: [{}] }, "documents[0].text"],
  ["an empty text", { ...good, documents: [{ text: "" }] }, "documents[0].text"],
  ["a blank text", { ...good, documents: [{ text: "ok" }, { text: " \n\t" }] }, "documents[1].text"],
  ["a text that is none", { ...good, documents: [{ text: 5 }] }, "documents[0].text"],
  ["an unknown field", { ...good, chunksize: 5 }, "chunksize"],
  ["an unknown field of a document", { ...good, documents: [{ text: "a", meta: {} }] }, "documents[0].meta"],
  [
    "metadata that is not an object",
    { ...good, documents: [{ text: "a", metadata: [] }] },
    "documents[0].metadata",
  ],
  [
    "too much metadata",
    { ...good, documents: [{ text: "a", metadata: { x: "y".repeat(17_000) } }] },
    "documents[0].metadata",
  ],
  ["a negative chunk_size", { ...good, chunk_size: -1 }, "chunk_size"],
  ["a chunk_size of 0", { ...good, chunk_size: 0 }, "chunk_size"],
  ["half a chunk_size", { ...good, chunk_size: 1.5 }, "chunk_size"],
  ["a negative overlap", { ...good, chunk_overlap: -1 }, "chunk_overlap"],
  ["as much overlap as size", { ...good, chunk_size: 50, chunk_overlap: 50 }, "chunk_overlap"],
  ["more overlap than the default size", { ...good, chunk_overlap: 513 }, "chunk_overlap"],
  ["a document id of dots", { ...good, documents: [{ id: "..", text: "a" }] }, "documents[0].id"],
  ["a document id with a line break", { ...good, documents: [{ id: "a\nb", text: "a" }] }, "documents[0].id"],
  ["a long document id", { ...good, documents: [{ id: "i".repeat(256), text: "a" }] }, "documents[0].id"],
  ...["", "../x", "a b", "-a", "a/b", "né", ".", "a".repeat(64)].map((name): [string, object, string] => [
    `the collection ${JSON.stringify(name)}`,
    { ...good, collection: name },
    "collection",
  ]),
])("POST /v1/rag/ingest refuses %s and writes nothing", async (_, body, path) => {
  await using daemon = await startDaemon();
  const answer = await ingest(daemon, body);
  expect(answer.status).toBe(400);
  expect(answer.body.problems.map((problem: { path: string }) => problem.path)).toContain(path);
  expect((await daemon.call("GET", "/v1/rag/collections")).body).toEqual({ collections: [] });
});

test.each<[string, object, string]>([
  ["no collection", { collection: undefined }, "collection"],
  ["no query", { query: undefined }, "query"],
  ["an empty query", { query: "" }, "query"],
  ["a blank query", { query: " \n " }, "query"],
  ["a query that is too long", { query: "q".repeat(8193) }, "query"],
  ["a negative top_k", { top_k: -1 }, "top_k"],
  ["a top_k of 0", { top_k: 0 }, "top_k"],
  ["half a top_k", { top_k: 2.5 }, "top_k"],
  ["a huge top_k", { top_k: 1001 }, "top_k"],
  ["a top_k that is a text", { top_k: "5" }, "top_k"],
  ["a threshold above 1", { score_threshold: 1.1 }, "score_threshold"],
  ["a negative threshold", { score_threshold: -0.1 }, "score_threshold"],
  ["an unknown mode", { mode: "fuzzy" }, "mode"],
  ["a filter that is none", { filters: [] }, "filters"],
  ["a condition that is none", { filters: { year: { above: 5 } } }, "filters.year.above"],
  ["an unknown field", { limit: 5 }, "limit"],
])("POST /v1/rag/query refuses %s", async (_, change, path) => {
  await using daemon = await startDaemon();
  await ingest(daemon, good);
  const answer = await query(daemon, { collection: "house", query: "a", ...change });
  expect(answer.status).toBe(400);
  expect(answer.body.problems.map((problem: { path: string }) => problem.path)).toContain(path);
});

test("what isn't there is 404, what can't be done says so", async () => {
  await using daemon = await startDaemon();
  await ingest(daemon, good);
  const refusals: [object, number, string][] = [
    [{ collection: "attic" }, 404, "collection_not_found"],
    [{ collection: "house", pipeline: "none" }, 404, "pipeline_not_found"],
    [{ collection: "house", rerank: true }, 400, "no_reranker"],
  ];
  for (const [change, status, code] of refusals) {
    const answer = await query(daemon, { query: "a", ...change });
    expect([answer.status, answer.body.error]).toEqual([status, code]);
  }
  for (const method of ["GET", "PUT", "DELETE"]) {
    expect((await daemon.call(method, "/v1/rag/ingest")).status).toBe(405);
  }
});

test("a body of 8 MiB comes in, one byte more doesn't", async () => {
  await using daemon = await startDaemon();
  const frame = JSON.stringify({
    collection: "big",
    documents: [{ id: "a", text: "" }],
    chunk_size: 100_000,
  });
  const room = 8 * 1024 * 1024 - frame.length;
  // One line without any end of a sentence to split at.
  const text = "lorem ipsum dolor ".repeat(Math.ceil(room / 18)).slice(0, room);
  const fits = frame.replace('"text":""', `"text":"${text}"`);
  const answer = await daemon.call("POST", "/v1/rag/ingest", { body: fits });
  expect(answer.status).toBe(200);
  expect(answer.body.chunks_created).toBeGreaterThan(80);
  const over = await daemon.call("POST", "/v1/rag/ingest", { body: `${fits} ` });
  expect([over.status, over.body.error]).toEqual([413, "body_too_large"]);
  const view = await daemon.call("GET", "/v1/rag/collections/big/documents/a");
  expect(view.body).toMatchObject({ characters: room, chunks: answer.body.chunks_created });
});

test("hostile strings come back unchanged in every field, or are 400", async () => {
  await using daemon = await startDaemon();
  await ingest(daemon, { collection: "hostile", documents: [{ id: "seed", text: "A text" }] });
  await daemon.call("DELETE", "/v1/rag/collections/hostile/documents/seed");
  const taken = new Map<string, string>();
  for (const { input } of hostileStrings.entries) {
    const document = { id: input, text: `${input} as a text`, metadata: { text: input, [input]: 1 } };
    const answer = await ingest(daemon, { collection: "hostile", documents: [document] });
    expect([200, 400]).toContain(answer.status);
    if (answer.status === 200) taken.set(input, document.text);
    else await refusedInWords(answer);
    const alone = await ingest(daemon, { collection: "alone", documents: [{ text: input }] });
    if (alone.status !== 200) await refusedInWords(alone);
    for (const mode of ["hybrid", "vector", "text"]) {
      const asked = await query(daemon, {
        collection: "hostile",
        query: input,
        filters: { text: input },
        mode,
      });
      if (asked.status !== 200) await refusedInWords(asked);
    }
    const named = await ingest(daemon, { collection: input, documents: [{ text: "a" }] });
    if (named.status !== 200) await refusedInWords(named);
  }
  expect(taken.size).toBeGreaterThan(30);
  const everything = { collection: "hostile", query: "text", top_k: 1000, mode: "vector" };
  const { results } = (await query(daemon, everything)).body;
  expect(results).toHaveLength(taken.size);
  for (const { text, metadata, citation } of results) {
    expect(text).toBe(taken.get(citation.document_id));
    expect(metadata).toEqual({ text: citation.document_id, [citation.document_id]: 1 });
  }
  for (const [id, text] of taken) {
    const path = `/v1/rag/collections/hostile/documents/${encodeURIComponent(id)}`;
    expect((await daemon.call("GET", path)).body).toMatchObject({ id, metadata: { text: id } });
    expect((await daemon.call("GET", `${path}/chunks`)).body.chunks).toMatchObject([{ text }]);
    expect((await daemon.call("DELETE", path)).body).toMatchObject({ status: "deleted", id });
  }
  expect((await query(daemon, everything)).body.results).toEqual([]);
});

async function refusedInWords({ status, body }: Answer): Promise<void> {
  expect(status).toBe(400);
  expect(body.error).toBe("invalid_request");
  expect(body.message.length).toBeGreaterThan(10);
}
