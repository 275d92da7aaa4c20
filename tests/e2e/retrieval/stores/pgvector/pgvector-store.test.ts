import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { systemClock } from "../../../../../src/kit/clock.ts";
import { createPgvectorStore } from "../../../../../src/retrieval/stores/pgvector/pgvector-store.ts";
import { type PgvectorServer, startPgvectorServer } from "../../../../support/pgvector-server.ts";
import { postgresMissing, postgresServer } from "../../../../support/postgres.ts";
import { never, newKey, sampleBatch, sampleVectors } from "../../../../support/sample-vectors.ts";

const world = { clock: systemClock, random: Math.random };
const caught = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (thrown) => thrown,
  );

describe.skipIf(postgresMissing !== undefined)(
  `pgvector on a plain PostgreSQL${postgresMissing ? ` (${postgresMissing})` : ""}`,
  () => {
    test("a server without the extension is 503 with what to install, and nothing is left behind", async () => {
      const url = await (await postgresServer()).createDatabase();
      const store = createPgvectorStore({ ...world, url });
      const work = [store.open(newKey(), 3), store.check(), store.drop(newKey())];
      for (const thrown of await Promise.all(work.map(caught))) {
        expect(thrown).toMatchObject({ code: "vectors_unavailable", status: 503 });
        expect(thrown.message).toContain('has no extension "vector". Install pgvector 0.8 or newer');
      }
      await store.close();
      await using sql = new SQL(url);
      expect(await sql`select 1 from pg_namespace where nspname = 'argosy_vectors'`).toHaveLength(0);
    });

    test.each<[string, (url: URL) => void]>([
      ["a wrong password", (url) => Object.assign(url, { password: "wrong-password" })],
      ["a missing database", (url) => Object.assign(url, { pathname: "/missing" })],
    ])("%s is reported without the connection string", async (_, spoil) => {
      const url = new URL(await (await postgresServer()).createDatabase());
      spoil(url);
      const store = createPgvectorStore({ ...world, url: url.href });
      const thrown = await caught(store.check());
      expect(thrown.code).toBe("vectors_unavailable");
      expect(thrown.message).toContain("refused the login");
      expect(`${thrown.message} ${thrown.cause}`).not.toMatch(/wrong-password|127\.0\.0\.1|missing\b/);
      await store.close();
    });
  },
);

describe("pgvector in pglite", () => {
  let server: PgvectorServer;
  beforeAll(async () => {
    server = await startPgvectorServer();
  });
  afterAll(() => server.stop());

  test("a large collection gets its own index, which searches use and which is dropped with the collection", async () => {
    const store = createPgvectorStore({ ...world, url: server.url, connectionsMax: 1, indexedRowsMin: 500 });
    const dimension = 32;
    const [large, small] = [newKey(), newKey()];
    const vectors = sampleVectors(3000, dimension);
    const rows = vectors.map((vector, at) => ({
      id: `row-${at}`,
      metadata: { rare: at % 500 === 0 },
      vector,
    }));
    const collection = await store.open(large, dimension);
    await collection.add(sampleBatch(rows, dimension));
    await (await store.open(small, dimension)).add(sampleBatch(rows.slice(0, 499), dimension));
    await store.maintain?.(never);
    await store.maintain?.(never);

    await store.close();
    const indexes = "select indexname from pg_indexes where indexname like 'rows_hnsw%'";
    const sql = new SQL({ url: server.url, max: 1, prepare: false });
    const made = await sql.unsafe(indexes);
    expect(made).toHaveLength(1);
    await sql.unsafe("analyze argosy_vectors.rows");
    const [{ id }] = await sql.unsafe("select id::text from argosy_vectors.collections where is_indexed");
    const sought = `[${vectors[0]?.join(",")}]`;
    const plan = await sql.unsafe(
      `explain select id from argosy_vectors.rows where collection = ${id} order by embedding::vector(${dimension}) <=> $1::text::vector(${dimension}) limit 10`,
      [sought],
    );
    expect(JSON.stringify(plan)).toContain(made[0].indexname);
    await sql.close();

    const again = createPgvectorStore({ ...world, url: server.url, connectionsMax: 1 });
    const reopened = await again.open(large, dimension);
    const search = { vector: Float32Array.from(vectors[0] ?? []), signal: never };
    expect(await reopened.nearest({ ...search, limit: 1 })).toMatchObject([{ id: "row-0" }]);
    const rare = await reopened.nearest({ ...search, limit: 20, filter: { rare: { eq: true } } });
    const rareIds = [0, 1000, 1500, 2000, 2500, 500].map((at) => `row-${at}`);
    expect(rare.map(({ id }) => id).sort()).toEqual(rareIds);

    // The only backend of all connections now prefers the index, which stops after its first scan and has no zero vectors.
    await reopened.add(sampleBatch([{ id: "zeros", metadata: { rare: true }, vector: [0] }], dimension));
    await again.close();
    const settings = new SQL({ url: server.url, max: 1, prepare: false });
    await settings.unsafe("set enable_sort = off");
    await settings.unsafe("set hnsw.max_scan_tuples = 1");
    await settings.close();
    const hurried = createPgvectorStore({ ...world, url: server.url, connectionsMax: 1 });
    const forgetful = await hurried.open(large, dimension);
    const all = await forgetful.nearest({ ...search, limit: 20, filter: { rare: { eq: true } } });
    expect(all.map(({ id }) => id).sort()).toEqual([...rareIds, "zeros"]);
    expect(await forgetful.nearest({ ...search, limit: 5000 })).toHaveLength(3001);

    await hurried.drop(large);
    await hurried.close();
    const after = new SQL({ url: server.url, max: 1, prepare: false });
    expect(await after.unsafe(indexes)).toHaveLength(0);
    await after.close();
  });

  test("words that an older release stored are made again when a collection is opened", async () => {
    const key = newKey();
    const store = createPgvectorStore({ ...world, url: server.url, connectionsMax: 1 });
    const rows = Array.from({ length: 450 }, (_, at) => ({ id: `row-${at}`, text: `Straße \u0000 ${at}` }));
    await (await store.open(key, 3)).add(sampleBatch(rows, 3));
    await store.close();
    const sql = new SQL({ url: server.url, max: 1, prepare: false });
    await sql.unsafe("alter table argosy_vectors.rows drop column words_rule");
    await sql.unsafe("update argosy_vectors.rows set words = '''straße'':1'::tsvector");
    await sql.close();

    const newer = createPgvectorStore({ ...world, url: server.url, connectionsMax: 1 });
    const collection = await newer.open(key, 3);
    const search = { vector: Float32Array.of(1, 0, 0), signal: never, limit: 1000 };
    expect(await collection.matching?.({ ...search, text: "strasse" })).toHaveLength(450);
    expect(await collection.matching?.({ ...search, text: "449" })).toMatchObject([{ id: "row-449" }]);
    await newer.close();
  });
});
