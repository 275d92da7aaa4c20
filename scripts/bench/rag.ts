/**
 * Measures retrieval from end to end. The project's documents, repeated many times, go through the HTTP API into a server of their own;
 * next to it are the embedder's share of the time, and the delay of `/healthz` meanwhile. Then questions go over HTTP in the three modes,
 * next to the same rows in a bare LanceDB table of this process.
 *
 *   bun scripts/bench/rag.ts [--chunks 10000] [--queries 500] [--program dist/argosy]
 */
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect, Index, makeArrowTable, type Table } from "@lancedb/lancedb";
import { readGoldenSet } from "../../src/command/rag-eval.ts";
import type { IngestAnswer, RagDocument } from "../../src/contracts/daemon/rag/rag.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { createChunker } from "../../src/retrieval/chunking/create-chunker.ts";
import { createHashThread } from "../../src/retrieval/embedding/local-hash/hash-thread.ts";
import { createLocalHash } from "../../src/retrieval/embedding/local-hash/local-hash.ts";
import { temporaryFolder } from "../../tests/support/temp-folder.ts";
import { rssMib } from "./process-stats.ts";

const root = join(import.meta.dir, "../..");
const { values } = parseArgs({
  options: {
    chunks: { type: "string", default: "10000" },
    queries: { type: "string", default: "500" },
    program: { type: "string" },
  },
});
const chunksWanted = Number(values.chunks);
const queries = Number(values.queries);
const dimension = 384;
const topK = 10;
const documentsAtOnce = 20;
const signal = new AbortController().signal;

const embedder = createLocalHash(dimension, createHashThread(systemClock));
const settings = { strategy: "recursive", chunk_size: 512, overlap: 50, similarity_threshold: 0.5 };
const chunker = createChunker(settings, embedder);

/** Yields the documents repeatedly, each different, until they have the requested number of chunks. */
async function* documents(): AsyncGenerator<{ document: RagDocument; chunks: readonly string[] }> {
  const names = [...new Bun.Glob("docs/**/*.md").scanSync({ cwd: root })].sort();
  let made = 0;
  for (let copy = 0; ; copy++) {
    for (const name of names) {
      const text = readFileSync(join(root, name), "utf8").replaceAll("the ", `the ${word(copy)} `);
      const chunks = (await chunker(text, signal)).map((chunk) => chunk.text);
      yield { document: { id: `${copy}/${name}`, text, metadata: { copy, name } }, chunks };
      made += chunks.length;
      if (made >= chunksWanted) return;
    }
  }
}

const word = (copy: number) =>
  copy.toString(26).replaceAll(/[0-9]/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "");

function percentiles(ms: number[]): string {
  ms.sort((a, b) => a - b);
  const at = (share: number) => (ms[Math.min(ms.length - 1, Math.floor(ms.length * share))] ?? 0).toFixed(1);
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)} ms`;
}

async function timed(count: number, work: (index: number) => Promise<unknown>): Promise<number[]> {
  const ms: number[] = [];
  for (let index = 0; index < count; index++) {
    const startedMs = performance.now();
    await work(index);
    ms.push(performance.now() - startedMs);
  }
  return ms;
}

const all: { document: RagDocument; chunks: readonly string[] }[] = [];
for await (const made of documents()) all.push(made);
const chunks = all.flatMap((made) => made.chunks);
const { cases } = await readGoldenSet(join(root, "evals/docs.rag-eval.yaml"), "evals/docs.rag-eval.yaml");
const question = (index: number) => cases[index % cases.length]?.query ?? "";

using folder = temporaryFolder();
const workspace = join(folder.path, "workspace");
mkdirSync(workspace);
const program =
  values.program === undefined ? [process.execPath, join(root, "src/main.ts")] : [values.program];
const server = Bun.spawn([...program, "serve", "--services", "daemon", "--json", "--workspace", workspace], {
  env: { PATH: process.env.PATH, HOME: workspace, PLATFORM_PORT: "0", PLATFORM_AUTO_CONFIG: "false" },
  stdio: ["ignore", "pipe", "ignore"],
});
try {
  const ready = new TextDecoder().decode((await server.stdout.getReader().read()).value);
  const { url } = JSON.parse(ready).services[0];
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  const query = (mode: string) => (index: number) =>
    post("/v1/rag/query", { collection: "bench", query: question(index), top_k: topK, mode });

  console.log(
    `${all.length} documents, ${chunks.length} chunks; the server has ${rssMib(server.pid).toFixed(0)} MiB`,
  );
  await ingest(post, url);
  const fresh = await timed(20, query("text"));
  console.log(`  ${"query text, before upkeep".padEnd(28)}${percentiles(fresh)}`);
  await untilTended(fresh[10] ?? 0, () => timed(5, query("text")));
  for (const mode of ["vector", "text", "hybrid"]) {
    await timed(20, query(mode));
    console.log(`  ${`query ${mode} over HTTP`.padEnd(28)}${percentiles(await timed(queries, query(mode)))}`);
  }
  console.log(`the server has ${rssMib(server.pid).toFixed(0)} MiB`);
} finally {
  server.kill();
  await server.exited;
}
await bare();
process.exit(0);

/** Waits until a background loop of the server has updated the word index, some time after the last write. */
async function untilTended(freshMs: number, ask: () => Promise<number[]>): Promise<void> {
  for (let seconds = 0; seconds < 180; seconds += 5) {
    const asked = (await ask()).sort((a, b) => a - b);
    if ((asked[2] ?? 0) < freshMs / 3)
      return console.log(`  ${"upkeep was done after".padEnd(28)}${seconds} s`);
    await Bun.sleep(5000);
  }
}

async function ingest(post: <T>(path: string, body: unknown) => Promise<T>, url: string): Promise<void> {
  const looks: number[] = [];
  const ended = new AbortController();
  const looking = (async () => {
    while (!ended.signal.aborted) {
      looks.push(...(await timed(1, async () => (await fetch(`${url}/healthz`)).arrayBuffer())));
      await Bun.sleep(5);
    }
  })();
  const startedMs = performance.now();
  let made = 0;
  for (let from = 0; from < all.length; from += documentsAtOnce) {
    const part = all.slice(from, from + documentsAtOnce).map(({ document }) => document);
    const answer = await post<IngestAnswer>("/v1/rag/ingest", { collection: "bench", documents: part });
    made += answer.chunks_created;
  }
  const seconds = (performance.now() - startedMs) / 1000;
  ended.abort();
  await looking;
  const embedMs = (await timed(1, () => embedder.embed(chunks, "document", signal)))[0] ?? 0;
  const rate = (made / seconds).toFixed(0);
  console.log(`  ${"ingest over HTTP".padEnd(28)}${rate} chunks/s (${made} in ${seconds.toFixed(1)} s)`);
  console.log(
    `  ${"the embedder alone".padEnd(28)}${(chunks.length / (embedMs / 1000)).toFixed(0)} chunks/s, ${(embedMs / 10 / seconds).toFixed(0)} % of that time`,
  );
  console.log(`  ${"/healthz meanwhile".padEnd(28)}${percentiles(looks)}`);
}

/** Runs the same rows and questions without our code, except for the vectors. */
async function bare(): Promise<void> {
  const database = await connect(join(folder.path, "bare"));
  const vectors = await embedder.embed(chunks, "document", signal);
  const vectorOf = (index: number) =>
    Array.from(vectors.subarray(index * dimension, (index + 1) * dimension));
  const rows = chunks.map((text, index) => ({ id: String(index), text, vector: vectorOf(index) }));
  const table = await database.createTable("bare", makeArrowTable(rows));
  await table.createIndex("text", { config: Index.fts() });
  const questions = await Promise.all(cases.map(({ query }) => embedder.embed([query], "query", signal)));
  const byVector = (index: number) =>
    nearest(table, questions[index % questions.length] ?? new Float32Array(dimension));
  const byWords = (index: number) =>
    table.query().fullTextSearch(question(index)).select(["id", "text", "_score"]).limit(topK).toArray();
  const ways = {
    "bare query by vector": byVector,
    "bare query by words": byWords,
    "two bare queries at once": (index: number) => Promise.all([byVector(index), byWords(index)]),
  };
  for (const [name, ask] of Object.entries(ways)) {
    await timed(20, ask);
    console.log(`  ${name.padEnd(28)}${percentiles(await timed(queries, ask))}`);
  }
}

function nearest(table: Table, vector: Float32Array): Promise<unknown> {
  return table
    .vectorSearch(vector)
    .distanceType("cosine")
    .select(["id", "text", "_distance"])
    .limit(topK)
    .toArray();
}
