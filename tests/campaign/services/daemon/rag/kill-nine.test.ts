import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../../../src/kit/clock.ts";
import { silentLogger } from "../../../../../src/kit/log.ts";
import { createLanceStore } from "../../../../../src/retrieval/stores/lancedb/lance-store.ts";
import { createLanceLoader } from "../../../../../src/retrieval/stores/lancedb/native/load-lance.ts";
import { executableTest, type ServerProcess, startServer } from "../../../../support/executable.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

/** Lives of a workspace, and kills in each: 30 kills in all, in tests that a busy machine ends in time. */
const lives = [1, 2, 3, 4, 5];
const kills = 6;
const names = ["a", "b", "c", "d", "e", "f"];
/** Some exceed one batch of embeddings, so that a kill can happen between batches. */
const chunksOf = (version: number) => (version % 5 === 0 ? 1100 : 1 + (version % 4));

async function post(server: ServerProcess, path: string, body: object): Promise<Record<string, unknown>> {
  return (await server.call("POST", path, { body })).body;
}

async function kill(server: ServerProcess): Promise<void> {
  server.kill("SIGKILL");
  await server.exited;
}

/** A version of a document: each chunk names the version, and the number of chunks is known. */
function documentOf(id: string, version: number) {
  const chunks = Array.from({ length: chunksOf(version) }, (_, n) =>
    `${id} v${version} word${n}`.padEnd(40, "."),
  );
  return { id, text: chunks.join(""), metadata: { name: id } };
}

/** Returns the version of each document in search results; checks that it occurs once and completely. */
async function visible(server: ServerProcess): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (const name of names) {
    const filters = { name };
    const found = await post(server, "/v1/rag/query", {
      collection: "k",
      query: "word",
      top_k: 1000,
      filters,
    });
    const passages = found.results as { text: string; citation: { chunk: number } }[];
    const shown = new Set(passages.map(({ text }) => Number(/ v(\d+) /.exec(text)?.[1])));
    if (shown.size === 0) continue;
    expect(shown.size).toBe(1);
    const [version = -1] = shown;
    expect(new Set(passages.map(({ citation }) => citation.chunk)).size).toBe(passages.length);
    expect(passages.length).toBe(Math.min(chunksOf(version), 1000));
    versions.set(name, version);
  }
  return versions;
}

for (const life of lives)
  executableTest(
    `after ${kills} kills nothing acknowledged is lost, nothing doubled, nothing half there (${life})`,
    async () => {
      using folder = temporaryFolder();
      mkdirSync(join(folder.path, "rag"));
      const spec = { chunking: { strategy: "fixed", chunk_size: 40, overlap: 0 } };
      const pipeline = { apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name: "k" }, spec };
      writeFileSync(join(folder.path, "rag/k.rag.yaml"), JSON.stringify(pipeline));
      /** Possible versions of each document: the last acknowledged one, and those requested since. */
      const possible = new Map<string, number[]>(names.map((name) => [name, []]));
      /** Documents that were acknowledged or seen once. */
      const kept = new Set<string>();
      // Each life begins with documents of another length, and with another number of acknowledgements.
      let version = life;
      for (let round = life; round < life + kills; round++) {
        const server = await startServer(folder.path);
        const shown = await visible(server);
        for (const [name, versions] of possible) {
          const now = shown.get(name);
          if (now === undefined) expect(kept).not.toContain(name);
          else {
            expect(versions).toContain(now);
            possible.set(name, [now]);
            kept.add(name);
          }
        }
        // After the round's number of acknowledgements, the server dies with the others running.
        let acknowledged = 0;
        const enough = Promise.withResolvers<void>();
        const ingest = async (batch: readonly string[]) => {
          version++;
          const asked = version;
          for (const name of batch) possible.get(name)?.push(asked);
          const documents = batch.map((name) => documentOf(name, asked));
          const answer = await post(server, "/v1/rag/ingest", {
            collection: "k",
            documents,
          });
          expect(answer.documents_ingested).toBe(batch.length);
          for (const name of batch) {
            possible.set(name, [asked]);
            kept.add(name);
          }
          if (++acknowledged >= round % 3) enough.resolve();
        };
        const lanes = [["a", "b"], ["c"], ["d", "e", "f"]].map(async (batch) => {
          for (let turn = 0; turn < 4; turn++) await ingest(batch);
        });
        if (round % 3 === 0) enough.resolve();
        const all = Promise.allSettled(lanes);
        // Before the kill, no lane may fail.
        await Promise.race([enough.promise, Promise.all(lanes)]);
        await kill(server);
        await all;
      }
      await expectNothingLeftOver(folder.path, possible, kept);
    },
  );

/** The last start sweeps: the store contains only valid rows. */
async function expectNothingLeftOver(
  folder: string,
  possible: ReadonlyMap<string, number[]>,
  kept: ReadonlySet<string>,
): Promise<void> {
  const server = await startServer(folder);
  const shown = await visible(server);
  for (const [name, versions] of possible) {
    const now = shown.get(name);
    if (now === undefined) expect(kept).not.toContain(name);
    else expect(versions).toContain(now);
  }
  const database = new Database(join(folder, ".argosy/daemon.db"), { readonly: true });
  const count = (table: string) =>
    database.query(`select count(*) as n from ${table}`).get() as { n: number };
  while (count("rag_writes").n > 0) await visible(server);
  await kill(server);
  const [{ vectors }] = database.query("select vectors from rag_collections").all() as [{ vectors: string }];
  const { chunks } = database.query("select sum(chunks) as chunks from rag_documents").get() as {
    chunks: number;
  };
  database.close();
  const dataFolder = join(folder, ".argosy");
  const load = createLanceLoader({ dataFolder, log: silentLogger });
  const store = createLanceStore({
    place: join(dataFolder, "vectors"),
    load,
    clock: systemClock,
    log: silentLogger,
  });
  const rows = await store.open({ tenant: "operator", kind: "rag", name: vectors }, 384);
  expect(await rows.count()).toBe(chunks);
  await store.close();
}
