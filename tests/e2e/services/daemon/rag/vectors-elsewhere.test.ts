import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { agentFile, startDaemon, type TestDaemon } from "../../../../support/daemon.ts";
import { settle } from "../../../../support/fake-clock.ts";
import { postgresMissing, postgresServer } from "../../../../support/postgres.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const documents = (...ids: string[]) =>
  ids.map((id) => ({ id, text: `The word ${id} stands in this sentence.`, metadata: {} }));

const ingest = (daemon: TestDaemon, ...ids: string[]) =>
  daemon.call("POST", "/v1/rag/ingest", { body: { collection: "notes", documents: documents(...ids) } });

const query = (daemon: TestDaemon, word: string) =>
  daemon.call("POST", "/v1/rag/query", { body: { collection: "notes", query: `the word ${word}` } });

const reindex = (daemon: TestDaemon, body: object = {}) =>
  daemon.call("POST", "/v1/rag/collections/notes/reindex", { body });

async function ended(daemon: TestDaemon, id: string) {
  for (;;) {
    const { body } = await daemon.call("GET", `/v1/rag/jobs/${id}`);
    if (body.ended_at !== undefined) return body;
    await settle();
  }
}

const found = async (daemon: TestDaemon, word: string) =>
  (await query(daemon, word)).body.results.map(
    ({ citation }: { citation: { document_id: string } }) => citation.document_id,
  );

async function vectorsCheck(daemon: TestDaemon) {
  const { body } = await daemon.call("GET", "/v1/system/doctor");
  return body.checks.find(({ name }: { name: string }) => name === "vectors");
}

/** Checks that every action on the collection is refused, with advice. */
async function expectElsewhere(daemon: TestDaemon): Promise<void> {
  const collection = "/v1/rag/collections/notes";
  const answers = {
    query: await query(daemon, "one"),
    ingest: await ingest(daemon, "one"),
    documents: await daemon.call("GET", `${collection}/documents`),
    document: await daemon.call("GET", `${collection}/documents/one`),
    chunks: await daemon.call("GET", `${collection}/documents/one/chunks`),
    deleteDocument: await daemon.call("DELETE", `${collection}/documents/one`),
    reindex: await reindex(daemon),
  };
  for (const [what, { status, body }] of Object.entries(answers)) {
    expect([what, status, body.error]).toEqual([what, 503, "vectors_elsewhere"]);
    expect(body.message).toContain("argosy rag reindex notes");
  }
  expect((await daemon.call("GET", collection)).body.status).toBe("vectors_elsewhere");
  const list = (await daemon.call("GET", "/v1/rag/collections")).body.collections;
  expect(list).toMatchObject([{ name: "notes", status: "vectors_elsewhere" }]);
  expect(await vectorsCheck(daemon)).toMatchObject({
    status: "failing",
    message: expect.stringContaining("collection notes"),
  });
}

const vectorsOf = ({ config }: TestDaemon) => join(config.dataFolder, "vectors");

/** Fills a workspace with documents and stops its daemon; returns the vectors' folder. */
async function filled(workspace: string, ...ids: string[]): Promise<string> {
  await using daemon = await startDaemon({ workspace });
  expect((await ingest(daemon, ...ids)).status).toBe(200);
  return vectorsOf(daemon);
}

test.skipIf(postgresMissing !== undefined)(
  "of two executables over one PostgreSQL, each answers 503 for vectors of the other",
  async () => {
    const databaseUrl = await (await postgresServer()).createDatabase();
    const ring = () => `k1:${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;
    const keys = { sealingKeys: ring(), jwtKeys: ring() };
    const options = {
      configure: (config: TestDaemon["config"]) => ({
        ...config,
        databaseUrl,
        secrets: { ...config.secrets, ...keys },
      }),
    };
    await using one = await startDaemon(options);
    await using other = await startDaemon(options);
    expect((await ingest(one, "one", "two")).status).toBe(200);
    await expectElsewhere(other);
    const deleted = await other.call("DELETE", "/v1/rag/collections/notes");
    expect([deleted.status, deleted.body.error]).toEqual([503, "vectors_elsewhere"]);
    // A refused action has changed nothing.
    expect((await found(one, "one"))[0]).toBe("one");
    expect((await one.call("GET", "/v1/rag/collections/notes")).body).toMatchObject({
      status: "ready",
      documents: 2,
    });
    expect(await vectorsCheck(one)).toMatchObject({ status: "healthy" });
    for (const daemon of [one, other])
      expect(daemon.logLines().some((line) => line.includes("vectors.local"))).toBe(true);
    // After a deliberate takeover, the texts of the first are dropped there.
    const { job_id } = (await reindex(other, { forget_lost: true })).body;
    expect(await ended(other, job_id)).toMatchObject({ status: "completed", chunks: 0 });
    expect((await ingest(other, "one")).body).toMatchObject({ documents_ingested: 1 });
    expect(await found(other, "one")).toEqual(["one"]);
    expect((await query(one, "one")).body.error).toBe("vectors_elsewhere");
  },
);

test("a lost folder is 503, and documents can be ingested again once forgotten", async () => {
  using folder = temporaryFolder();
  rmSync(await filled(folder.path, "one", "two"), { recursive: true });
  await using daemon = await startDaemon({ workspace: folder.path });
  await expectElsewhere(daemon);
  const { job_id } = (await reindex(daemon, { forget_lost: true })).body;
  expect(await ended(daemon, job_id)).toMatchObject({
    status: "completed",
    failed: [
      { id: "one", error: "text_lost" },
      { id: "two", error: "text_lost" },
    ],
  });
  expect((await daemon.call("GET", "/v1/rag/collections/notes")).body).toMatchObject({
    status: "ready",
    documents: 0,
  });
  expect((await ingest(daemon, "one")).body.documents).toMatchObject([{ id: "one", status: "created" }]);
  expect(await found(daemon, "one")).toEqual(["one"]);
});

test("a folder that disappears while the daemon runs is 503 at once, and is used again when it is back", async () => {
  await using daemon = await startDaemon();
  await ingest(daemon, "one");
  expect(await found(daemon, "one")).toEqual(["one"]);
  const vectors = vectorsOf(daemon);
  renameSync(vectors, `${vectors}-away`);
  await expectElsewhere(daemon);
  rmSync(vectors, { recursive: true });
  renameSync(`${vectors}-away`, vectors);
  expect(await found(daemon, "one")).toEqual(["one"]);
});

test("a swapped folder is 503", async () => {
  using one = temporaryFolder();
  using other = temporaryFolder();
  const vectors = await filled(one.path, "one");
  const others = await filled(other.path, "one");
  rmSync(vectors, { recursive: true });
  cpSync(others, vectors, { recursive: true });
  await using daemon = await startDaemon({ workspace: one.path });
  await expectElsewhere(daemon);
});

test("a folder from a backup older than the database is 503, and its texts can be kept", async () => {
  using folder = temporaryFolder();
  const vectors = await filled(folder.path, "one");
  cpSync(vectors, `${vectors}-backup`, { recursive: true });
  await filled(folder.path, "two");
  rmSync(vectors, { recursive: true });
  renameSync(`${vectors}-backup`, vectors);
  await using daemon = await startDaemon({ workspace: folder.path });
  await expectElsewhere(daemon);
  const { job_id } = (await reindex(daemon, { forget_lost: true })).body;
  expect(await ended(daemon, job_id)).toMatchObject({
    status: "completed",
    chunks: 1,
    failed: [{ id: "two" }],
  });
  expect(await found(daemon, "one")).toEqual(["one"]);
});

test("a table missing in the folder is 503", async () => {
  using folder = temporaryFolder();
  const vectors = await filled(folder.path, "one");
  for (const table of new Bun.Glob("rag-*.lance").scanSync({ cwd: vectors, onlyFiles: false }))
    rmSync(join(vectors, table), { recursive: true });
  await using daemon = await startDaemon({ workspace: folder.path });
  await expectElsewhere(daemon);
});

test("texts that are in another place are indexed anew in full", async () => {
  using folder = temporaryFolder();
  const vectors = await filled(folder.path, "one", "two");
  rmSync(join(vectors, "place.json"));
  await using daemon = await startDaemon({ workspace: folder.path });
  expect((await query(daemon, "one")).body.error).toBe("vectors_elsewhere");
  const accepted = await reindex(daemon);
  expect(accepted.status).toBe(202);
  expect(await ended(daemon, accepted.body.job_id)).toMatchObject({
    status: "completed",
    chunks: 2,
    documents_done: 2,
    failed: [],
  });
  expect((await found(daemon, "two"))[0]).toBe("two");
  expect(await vectorsCheck(daemon)).toMatchObject({ status: "healthy" });
});

test("an installation from before places had ids takes the one that it has", async () => {
  using folder = temporaryFolder();
  const vectors = await filled(folder.path, "one");
  rmSync(join(vectors, "place.json"));
  const file = [...new Bun.Glob("**/daemon.db").scanSync({ cwd: folder.path, dot: true })][0] ?? "";
  const places = (change: string) => {
    using database = new Database(join(folder.path, file));
    return database.query(change).all();
  };
  places("update rag_collections set place = null");
  {
    await using daemon = await startDaemon({ workspace: folder.path });
    expect(await found(daemon, "one")).toEqual(["one"]);
  }
  expect(places("select place from rag_collections")).toEqual([{ place: expect.any(String) }]);
  expect(existsSync(join(vectors, "place.json"))).toBe(true);
  // A collection whose vectors were lost before cannot be taken over.
  places("update rag_collections set place = null");
  rmSync(vectors, { recursive: true });
  await using daemon = await startDaemon({ workspace: folder.path });
  expect((await query(daemon, "one")).body.error).toBe("vectors_elsewhere");
});

test("an agent's memory with vectors elsewhere is 503, as documents are", async () => {
  using folder = temporaryFolder();
  const agents = { "helper.agent.yaml": agentFile("helper", { memory: { semantic: {} } }) };
  const path = "/v1/memory/helper/semantic";
  const search = (daemon: TestDaemon) => daemon.call("GET", `${path}?query=The%20boiler`);
  let vectors = "";
  {
    await using daemon = await startDaemon({ workspace: folder.path, agents });
    expect((await daemon.call("POST", path, { body: { text: "The boiler is green." } })).status).toBe(201);
    expect((await search(daemon)).body.results).toHaveLength(1);
    vectors = vectorsOf(daemon);
  }
  rmSync(vectors, { recursive: true });
  await using daemon = await startDaemon({ workspace: folder.path, agents });
  for (const answer of [
    await search(daemon),
    await daemon.call("GET", `${path}/texts`),
    await daemon.call("DELETE", `${path}?all=true`),
    await daemon.call("POST", `${path}/reindex`),
  ]) {
    expect([answer.status, answer.body.error]).toEqual([503, "vectors_elsewhere"]);
    expect(answer.body.message).toContain(`POST ${path}/reindex`);
  }
  expect(await vectorsCheck(daemon)).toMatchObject({ status: "failing" });
  // The answer does not depend on the memory.
  expect((await daemon.run("helper", { query: "Hi" })).status).toBe(200);
  const given = await daemon.call("POST", `${path}/reindex?forget_lost=true`);
  expect([given.status, given.body.texts]).toEqual([202, 0]);
  expect((await daemon.call("POST", path, { body: { text: "The boiler is red." } })).status).toBe(201);
  const texts = (await daemon.call("GET", `${path}/texts`)).body.texts;
  expect(texts.some(({ text }: { text: string }) => text === "The boiler is red.")).toBe(true);
});
