import { expect, test } from "bun:test";
import { AdmissionGate } from "../../../../src/kit/concurrency/admission-gate.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { RagJobs } from "../../../../src/services/daemon/rag/jobs/rag-jobs.ts";
import { ragTables } from "../../../../src/services/daemon/rag/registry/schema.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";
import { type EmbeddingScript, startEmbeddingServer } from "../../../support/word-embedding-server.ts";

const root = "/v1/rag/jobs";

/** A daemon whose pipeline `notes` uses a scripted embedding server. */
async function startWith(script?: EmbeddingScript, workspace?: string) {
  const embeddings = startEmbeddingServer(script);
  const daemon = await startDaemon({ ...(workspace && { workspace }) });
  const spec = { embeddings: { provider: "openai", model: "test", endpoint: embeddings.url } };
  const manifest = { apiVersion: "platform/v1", kind: "RAGPipeline", metadata: { name: "notes" }, spec };
  const { status } = await daemon.asOwner("POST", "/v1/rag/pipelines", { body: manifest });
  expect(status).toBe(201);
  return {
    daemon,
    embeddings,
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      embeddings[Symbol.dispose]();
    },
  };
}

const start = (daemon: TestDaemon, documents: object[], more: object = {}) =>
  daemon.call("POST", "/v1/rag/ingest", { body: { collection: "notes", documents, async: true, ...more } });

/** Returns the job once it has ended. */
async function ended(daemon: TestDaemon, id: string) {
  for (;;) {
    const { body } = await daemon.call("GET", `${root}/${id}`);
    if (body.ended_at !== undefined) return body;
    await settle();
  }
}

const many = Array.from({ length: 700 }, (_, n) => ({ id: `d${n}`, text: `word number ${n}` }));

test("an ingest as a job is accepted at once, tells how far it is, and ends completed", async () => {
  const held = Promise.withResolvers<undefined>();
  const reached = Promise.withResolvers<void>();
  let asked = 0;
  await using world = await startWith((texts) => {
    asked += texts.length;
    if (asked <= 520) return undefined;
    reached.resolve();
    return held.promise;
  });
  const { daemon } = world;
  const accepted = await start(daemon, many);
  expect(accepted.status).toBe(202);
  expect(accepted.body.status).toBe("queued");
  const path = `${root}/${accepted.body.job_id}`;
  expect(accepted.headers.get("location")).toBe(path);
  await reached.promise;
  const running = (await daemon.call("GET", path)).body;
  expect(running).toMatchObject({
    kind: "ingest",
    collection: "notes",
    status: "running",
    documents_total: 700,
  });
  expect(running.documents_done).toBeLessThan(700);
  held.resolve(undefined);
  const done = await ended(daemon, accepted.body.job_id);
  expect(done).toMatchObject({ status: "completed", documents_done: 700, chunks: 700, failed: [] });
  expect(done).not.toHaveProperty("error");
  expect((await daemon.call("GET", root)).body.jobs).toEqual([done]);
  expect((await daemon.call("DELETE", path)).body).toEqual({ job_id: done.job_id, status: "deleted" });
  expect((await daemon.call("GET", path)).body.error).toBe("job_not_found");
  expect((await daemon.call("DELETE", path)).body.error).toBe("job_not_found");
  expect((await daemon.call("GET", "/v1/rag/collections/notes")).body.documents).toBe(700);
});

test("`Prefer: respond-async` asks for a job too, also for a file", async () => {
  await using world = await startWith();
  const { daemon } = world;
  const headers = { prefer: "respond-async" };
  const body = { collection: "notes", documents: [{ text: "a word" }] };
  const accepted = await daemon.call("POST", "/v1/rag/ingest", { body, headers });
  expect(accepted.status).toBe(202);
  expect((await ended(daemon, accepted.body.job_id)).status).toBe("completed");
  const file = await daemon.call("PUT", "/v1/rag/collections/notes/documents/f.txt", {
    body: "a file",
    headers,
  });
  expect(file.status).toBe(202);
  expect(await ended(daemon, file.body.job_id)).toMatchObject({ status: "completed", documents_done: 1 });
  expect((await daemon.call("GET", "/v1/rag/collections/notes")).body.documents).toBe(2);
});

test("an invalid request for a job is 400, and no job begins", async () => {
  await using world = await startWith();
  for (const documents of [[], [{ text: "" }]])
    expect((await start(world.daemon, documents)).status).toBe(400);
  expect((await start(world.daemon, [{ text: "a" }], { chunk_size: 5, chunk_overlap: 5 })).status).toBe(400);
  expect((await world.daemon.call("GET", root)).body).toEqual({ jobs: [] });
});

test("documents that the embedder refuses are listed, and the others are stored", async () => {
  await using world = await startWith((texts) =>
    texts.some((text) => text.includes("poison")) ? 400 : undefined,
  );
  const { daemon } = world;
  const documents = [{ text: "word one" }, { id: "bad", text: "poison" }, { text: "word two" }];
  const accepted = await start(daemon, documents);
  const job = await ended(daemon, accepted.body.job_id);
  expect(job).toMatchObject({ status: "completed", documents_done: 2 });
  expect(job.failed).toMatchObject([{ index: 1, id: "bad", error: "embedder_failed" }]);
});

test("an embedder that refuses everything ends the job, and the same request continues where it ended", async () => {
  let broken = true;
  let asked = 0;
  await using world = await startWith((texts) => {
    asked += texts.length;
    return broken && asked > 520 ? 401 : undefined;
  });
  const { daemon } = world;
  const failed = await ended(daemon, (await start(daemon, many)).body.job_id);
  expect(failed).toMatchObject({ status: "failed" });
  expect(failed.error.message.length).toBeGreaterThan(10);
  const { documents_done: done } = failed;
  expect(done).toBeGreaterThan(0);
  expect((await daemon.call("GET", "/v1/rag/collections/notes")).body.documents).toBe(done);
  broken = false;
  world.embeddings.requests.length = 0;
  const again = await ended(daemon, (await start(daemon, many)).body.job_id);
  expect(again).toMatchObject({ status: "completed", documents_done: 700, chunks: 700 - done });
  expect(world.embeddings.requests.flat()).toHaveLength(700 - done);
});

test("a job is cancelled, whether it works or waits; what it took stays", async () => {
  const reached = Promise.withResolvers<void>();
  let asked = 0;
  await using world = await startWith((texts) => {
    asked += texts.length;
    if (asked <= 520) return undefined;
    reached.resolve();
    return new Promise(() => {});
  });
  const { daemon } = world;
  const first = (await start(daemon, many)).body.job_id;
  await reached.promise;
  // Two run at once; the third waits.
  await start(daemon, [{ text: "stuck" }]);
  const waiting = (await start(daemon, [{ text: "waits" }])).body.job_id;
  expect((await daemon.call("GET", `${root}/${waiting}`)).body.status).toBe("queued");
  for (const id of [waiting, first]) {
    expect((await daemon.call("DELETE", `${root}/${id}`)).body).toEqual({ job_id: id, status: "cancelled" });
    expect((await daemon.call("GET", `${root}/${id}`)).body).toMatchObject({ status: "cancelled" });
  }
  const { documents_done: done } = (await daemon.call("GET", `${root}/${first}`)).body;
  expect((await daemon.call("GET", "/v1/rag/collections/notes")).body.documents).toBe(done);
});

test("jobs beyond what fits in memory are 503", async () => {
  await using world = await startWith(() => new Promise(() => {}));
  const statuses: number[] = [];
  for (let number = 0; number < 18; number++) {
    const answer = await start(world.daemon, [{ text: `number ${number}` }]);
    statuses.push(answer.status);
    if (answer.status === 503) expect(answer.headers.get("retry-after")).toBe("5");
  }
  expect(statuses.filter((status) => status === 202)).toHaveLength(16);
  expect(statuses.slice(16)).toEqual([503, 503]);
});

test("a job whose daemon stops is interrupted, as the next one tells", async () => {
  using folder = temporaryFolder();
  let id = "";
  {
    await using world = await startWith(() => new Promise(() => {}), folder.path);
    id = (await start(world.daemon, many)).body.job_id;
  }
  await using daemon = await startDaemon({ workspace: folder.path });
  expect((await daemon.call("GET", `${root}/${id}`)).body).toMatchObject({
    status: "interrupted",
    documents_done: 0,
    error: { error: "job_interrupted" },
  });
});

test("without a job a failure of the embedder is 502 and says how many documents were stored", async () => {
  let asked = 0;
  await using world = await startWith((texts) => {
    asked += texts.length;
    return asked > 520 ? 400 : undefined;
  });
  const body = { collection: "notes", documents: many };
  const answer = await world.daemon.call("POST", "/v1/rag/ingest", { body });
  expect([answer.status, answer.body.error]).toEqual([502, "embedder_failed"]);
  const { body: view } = await world.daemon.call("GET", "/v1/rag/collections/notes");
  expect(answer.body.hint).toContain(`${view.documents} of 700 documents are stored`);
});

test("a job tells the page that text recognition reads, until its document is done", async () => {
  await using storage = await sqliteEngine.open({ tables: ragTables });
  const gate = new AdmissionGate({ inFlightMax: 1, waitingMax: 1 });
  const jobs = new RagJobs({ storage, owner: "o", gate, clock: new FakeClock(), newId, log: silentLogger });
  const [told, go, done, end] = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const id = await jobs.start("t", { kind: "ingest", collection: "c", documentsTotal: 1 }, async (report) => {
    report.reading({ page: 2, pages: 9 });
    told?.resolve();
    await go?.promise;
    report.taken(1);
    done?.resolve();
    await end?.promise;
  });
  await told?.promise;
  expect(await jobs.find("t", id)).toMatchObject({ status: "running", reading: { page: 2, pages: 9 } });
  expect(await jobs.list("t", 10)).toMatchObject([{ reading: { page: 2, pages: 9 } }]);
  go?.resolve();
  await done?.promise;
  expect(await jobs.find("t", id)).not.toHaveProperty("reading");
  end?.resolve();
  await jobs.close();
});
