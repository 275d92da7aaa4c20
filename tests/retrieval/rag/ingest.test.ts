import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { AppError } from "../../../src/kit/app-error.ts";
import { reindexCollection } from "../../../src/retrieval/rag/upkeep/reindex-collection.ts";
import { removeDocument } from "../../../src/retrieval/rag/upkeep/remove-document.ts";
import { sweepLeftovers } from "../../../src/retrieval/rag/upkeep/sweep-leftovers.ts";
import type { VectorStore } from "../../../src/retrieval/stores/vector-store.ts";
import { inTurn } from "../../support/in-turn.ts";
import { lanceStore } from "../../support/lance-store.ts";
import { type RagWorld, ragWorld, ragWorldTables } from "../../support/rag-world.ts";
import { onEachEngine } from "../../support/storage-engines.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const never = new AbortController().signal;
const down = () => new AppError("unavailable", "embedder_unavailable", "The embedder does not answer.");

/** The place of a store in memory. */
const nowhere = { storeId: "lancedb", place: null };

const sweep = ({ ports, pipeline }: RagWorld) => sweepLeftovers(ports, () => pipeline.store, inTurn, never);

/** Returns the result of a search for everything, as `id: text` in the order of documents and chunks. */
async function shown(world: RagWorld, query = "word"): Promise<string[]> {
  const found = (await world.search(query, { topK: 1000, mode: "vector" })) ?? [];
  return found
    .toSorted((a, b) => {
      const [one, other] = [a.citation, b.citation];
      return one.documentId < other.documentId
        ? -1
        : Number(one.documentId > other.documentId) || one.chunk - other.chunk;
    })
    .map(({ text, citation }) => `${citation.documentId}: ${text}`);
}

onEachEngine("ingest", ({ open, dialect }) => {
  test("documents are cut, found and cited", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    const text = "The boiler is in the cellar. 🔥 Its valve has to be oiled each spring.";
    const outcomes = await world.ingest([
      { id: "boiler", text, metadata: { room: "cellar" } },
      { text: "Bees like the lime tree." },
    ]);
    expect(outcomes.map(({ status, chunks }) => [status, chunks])).toEqual([
      ["created", 2],
      ["created", 1],
    ]);
    expect(outcomes[0]?.characters).toBe([...text].length);
    const [best] = (await world.search("oiled each spring")) ?? [];
    expect(best).toMatchObject({
      metadata: { room: "cellar" },
      citation: { documentId: "boiler", chunk: 1 },
    });
    const { start, end } = best?.citation ?? { start: 0, end: 0 };
    expect([...text].slice(start, end).join("")).toBe(best?.text ?? "");
    expect(await world.search("anything", { collection: "others" })).toBeUndefined();
    expect(await world.search("valve", { tenant: "u" })).toBeUndefined();
  });

  test("what is there as it is costs nothing; what differs replaces it", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    const one = { id: "a", text: "word one", metadata: { x: 1, y: [2] } };
    await world.ingest([one, { id: "b", text: "word two" }]);
    world.embedder.embedded = [];
    const again = [
      { ...one, metadata: { y: [2], x: 1 } },
      { id: "b", text: "word two" },
    ];
    expect((await world.ingest(again)).map(({ status }) => status)).toEqual(["unchanged", "unchanged"]);
    expect(world.embedder.embedded).toEqual([]);
    const changes = [
      { ...one, metadata: { x: 2 } },
      { id: "b", text: "word three" },
    ];
    expect((await world.ingest(changes)).map(({ status }) => status)).toEqual(["replaced", "replaced"]);
    expect(await shown(world)).toEqual(["a: word one", "b: word three"]);
    expect(await world.rowCount()).toBe(2);
    const chunking = { ...world.pipeline.chunking, chunk_size: 5 };
    expect((await world.ingest([one], { chunking }))[0]).toMatchObject({ status: "replaced", chunks: 2 });
    expect(await world.rowCount()).toBe(3);
  });

  test("a text without an id doesn't double, with other metadata it is another document", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    const [first] = await world.ingest([{ text: "word" }]);
    const [second] = await world.ingest([{ text: "word" }]);
    expect(second).toEqual({ ...first, status: "unchanged" } as typeof second);
    await world.ingest([{ text: "word", metadata: { lang: "en" } }]);
    expect(await shown(world)).toHaveLength(2);
  });

  test("of two with one id in one request the later stays", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    const outcomes = await world.ingest([
      { id: "a", text: "word one" },
      { id: "b", text: "word b" },
      { id: "a", text: "word two" },
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["created", "created", "replaced"]);
    expect(await shown(world)).toEqual(["a: word two", "b: word b"]);
    expect(await world.rowCount()).toBe(2);
  });

  test("an embedder that fails in the middle leaves nothing half there, and the same ingest continues", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    // Longer than one batch of embeddings, so that rows exist when it fails.
    const long = Array.from({ length: 1500 }, (_, n) => `word ${n}`.padEnd(40, ".")).join("");
    const documents = [
      { id: "a", text: "word a" },
      { id: "long", text: long },
      { id: "z", text: "word z" },
    ];
    let calls = 0;
    world.embedder.before = () => {
      if (++calls === 3) throw down();
    };
    const failure = await world.ingest(documents).catch((thrown) => thrown);
    expect(failure).toMatchObject({ code: "embedder_unavailable" });
    expect(await shown(world)).toEqual(["a: word a"]);
    expect(await world.rowCount()).toBe(1);
    expect((await world.ingest(documents)).map(({ status }) => status)).toEqual([
      "unchanged",
      "created",
      "created",
    ]);
    expect(await world.rowCount()).toBe(1502);
  });

  test("while a document is being written or replaced, searches show the old one alone", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    await world.ingest([{ id: "a", text: "word old" }]);
    const seen: string[][] = [];
    world.hooks.add = async () => void seen.push(await shown(world));
    // Old rows are still there when the new ones become valid.
    world.hooks.remove = async () => void seen.push(await shown(world));
    await world.ingest([{ id: "a", text: "word new" }]);
    expect(seen).toEqual([["a: word old"], ["a: word new"]]);
    const rows = world.hooks;
    rows.add = async () => {
      throw new AppError("unavailable", "vectors_unavailable", "The disk is full.");
    };
    expect(await world.ingest([{ id: "a", text: "word newer" }]).catch((thrown) => thrown.code)).toBe(
      "vectors_unavailable",
    );
    expect(await shown(world)).toEqual(["a: word new"]);
  });

  test("a document that is replaced while it is searched is found in one version", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    await world.ingest([
      { id: "a", text: "word old" },
      { id: "b", text: "word b" },
    ]);
    let replaced = false;
    world.hooks.nearest = async () => {
      if (replaced) return;
      replaced = true;
      await world.ingest([{ id: "a", text: "word new" }]);
    };
    expect(await shown(world)).toEqual(["a: word new", "b: word b"]);
  });

  test("rows that can't be removed now are not seen and are swept later", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    await world.ingest([
      { id: "a", text: "word a" },
      { id: "b", text: "word b" },
      { id: "c", text: "word c" },
    ]);
    world.hooks.remove = async () => {
      throw new AppError("unavailable", "vectors_unavailable", "The store does not answer.");
    };
    await world.ingest([{ id: "a", text: "word new" }]);
    await removeDocument(world.ports, world.pipeline, { tenant: "t", collection: "notes", id: "b" });
    const visible = ["a: word new", "c: word c"];
    expect(await shown(world)).toEqual(visible);
    expect((await world.search("word", { topK: 2, mode: "hybrid" }))?.length).toBe(2);
    await sweep(world);
    expect(await world.rowCount()).toBe(4);
    world.hooks.remove = async () => {};
    await sweep(world);
    expect(await world.rowCount()).toBe(2);
    expect(await shown(world)).toEqual(visible);
    expect(await world.registry.deadRows(nowhere, 10)).toEqual([]);
  });

  test("what a process that died was writing is not seen and goes", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    const dead = world.beside("dead");
    await world.ingest([{ id: "a", text: "word a" }]);
    // It stops between the rows and the transaction that makes them valid.
    dead.registry.commitWrite = () => new Promise(() => {});
    void dead.ingest([{ id: "a", text: "word lost" }]);
    while ((await world.rowCount()) < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(await shown(world)).toEqual(["a: word a"]);
    if (storage.dialect === "postgres") {
      // Other processes may be alive there: only a timeout tells.
      await sweep(world);
      expect(await world.rowCount()).toBe(2);
      const { ragWrites } = storage.tables;
      const heldUntil = new Date(0);
      await storage.transact((tx) => tx.update(ragWrites).set({ heldUntil }));
    }
    await sweep(world);
    expect(await world.rowCount()).toBe(1);
    expect(await shown(world)).toEqual(["a: word a"]);
  });

  test("a process that was taken for dead can't make its write count, and leaves nothing", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    const late = world.beside("late");
    await world.ingest([{ id: "a", text: "word a" }]);
    const { ragWrites } = storage.tables;
    world.hooks.add = async () => {
      await storage.transact((tx) => tx.update(ragWrites).set({ heldUntil: new Date(0) }));
      await sweep(world);
    };
    const failure = await late.ingest([{ id: "a", text: "word late" }]).catch((thrown) => thrown);
    expect(failure).toMatchObject({ code: "write_lost" });
    world.hooks.add = async () => {};
    expect(await shown(world)).toEqual(["a: word a"]);
    expect(await world.rowCount()).toBe(1);
  });

  test("rows that nothing knows of are found out by searching and swept", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    await world.ingest([{ id: "a", text: "word a" }]);
    const collection = await world.registry.find("t", "notes");
    if (collection === undefined) throw new Error("There is no collection.");
    const rows = await world.pipeline.store.open(
      { tenant: "t", kind: "rag", name: collection.vectors },
      collection.dimension,
    );
    const ids = Array.from({ length: 30 }, (_, n) => `stray/${n}/0/0-4`);
    await rows.add({
      ids,
      groups: ids.map(() => "a"),
      write: "stray",
      texts: ids.map(() => "word"),
      metadata: ids.map(() => ({})),
      vectors: await world.embedder.embed(
        ids.map(() => "word"),
        "document",
        never,
      ),
    });
    expect((await world.search("word", { topK: 1 }))?.map(({ text }) => text)).toEqual(["word a"]);
    await sweep(world);
    expect(await world.rowCount()).toBe(1);
  });

  test("two ingests of one document at once leave one of them, whole", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    const other = world.beside("two");
    const long = (name: string) =>
      Array.from({ length: 60 }, (_, n) => `word ${name} ${n}`.padEnd(40)).join("");
    const both = await Promise.all([
      world.ingest([{ id: "a", text: long("left") }]),
      other.ingest([{ id: "a", text: long("right") }]),
    ]);
    expect(
      both
        .flat()
        .map(({ status }) => status)
        .sort(),
    ).toEqual(["created", "replaced"]);
    const texts = await shown(world);
    expect(texts).toHaveLength(60);
    expect(new Set(texts.map((text) => text.split(" ")[2])).size).toBe(1);
    expect(await world.rowCount()).toBe(60);
  });

  test("a collection that is deleted while it is written to stays deleted, and the ingest is 409", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    await world.ingest([{ id: "a", text: "word a" }]);
    world.hooks.add = async () => void (await world.registry.remove("t", "notes"));
    const failure = await world.ingest([{ id: "b", text: "word b" }]).catch((thrown) => thrown);
    expect(failure).toMatchObject({ code: "collection_gone", status: 409 });
    expect(await world.search("word")).toBeUndefined();
    world.hooks.add = async () => {};
    await world.ingest([{ id: "b", text: "word b" }]);
    expect(await shown(world)).toEqual(["b: word b"]);
    expect((await world.registry.droppable(nowhere, 10)).length).toBe(1);
    await sweep(world);
    expect(await world.registry.droppable(nowhere, 10)).toEqual([]);
  });

  /** A world whose vectors are in LanceDB below `folder`; `isDown` makes its drops fail. */
  function lanceWorld(storage: Parameters<typeof ragWorld>[0], folder: string) {
    const state = { isDown: false };
    const lance = lanceStore(folder);
    const store: VectorStore = {
      ...lance,
      async drop(key) {
        if (state.isDown) throw new AppError("unavailable", "vectors_unavailable", "The store is away.");
        await lance.drop(key);
      },
    };
    const world = ragWorld(storage);
    world.pipeline = { ...world.pipeline, store };
    const tables = () => readdirSync(join(folder, "vectors")).filter((name) => name.startsWith("rag"));
    return { world, state, tables, [Symbol.asyncDispose]: () => lance.close() };
  }

  for (const isDown of [false, true]) {
    const when = isDown ? "after the next sweep, if the store is down" : "at once";
    test(`texts that are added to a deleted collection go ${when}`, async () => {
      await using storage = await open({ tables: ragWorldTables });
      using folder = temporaryFolder();
      await using opened = lanceWorld(storage, folder.path);
      const { world, state, tables } = opened;
      await world.ingest([{ id: "a", text: "word a" }]);
      expect(tables()).toHaveLength(1);
      world.embedder.before = async () => {
        await world.registry.remove("t", "notes");
        await sweep(world);
        expect(tables()).toEqual([]);
        state.isDown = isDown;
      };
      const failure = await world.ingest([{ id: "b", text: "word b" }]).catch((thrown) => thrown);
      expect(failure).toMatchObject({ code: "collection_gone" });
      expect(tables()).toHaveLength(isDown ? 1 : 0);
      state.isDown = false;
      await sweep(world);
      expect(tables()).toEqual([]);
      expect(await storage.read.select().from(storage.tables.ragDropped)).toEqual([]);
      expect(await storage.read.select().from(storage.tables.ragWrites)).toEqual([]);
    });

    test(`vectors made anew for a deleted collection go ${when}`, async () => {
      await using storage = await open({ tables: ragWorldTables });
      using folder = temporaryFolder();
      await using opened = lanceWorld(storage, folder.path);
      const { world, state, tables } = opened;
      await world.ingest([{ id: "a", text: "word a" }]);
      world.embedder.before = async () => {
        await world.registry.remove("t", "notes");
        await sweep(world);
        expect(tables()).toEqual([]);
        state.isDown = isDown;
      };
      const reindexing = { tenant: "t", collection: "notes", signal: never };
      const failure = await reindexCollection(world.ports, world.pipeline, reindexing).catch(
        (thrown) => thrown,
      );
      expect(failure).toMatchObject({ code: "collection_gone", status: 409 });
      expect(tables()).toHaveLength(isDown ? 1 : 0);
      state.isDown = false;
      await sweep(world);
      expect(tables()).toEqual([]);
      expect(await storage.read.select().from(storage.tables.ragDropped)).toEqual([]);
    });
  }

  test("a re-index that was taken for dead leaves no vectors", async () => {
    await using storage = await open({ tables: ragWorldTables });
    using folder = temporaryFolder();
    await using opened = lanceWorld(storage, folder.path);
    const { world, tables } = opened;
    await world.ingest([{ id: "a", text: "word a" }]);
    const late = world.beside("late");
    const { ragCollections } = storage.tables;
    world.embedder.before = async () => {
      await storage.transact((tx) => tx.update(ragCollections).set({ heldUntil: new Date(0) }));
      await sweep(world);
    };
    const reindexing = { tenant: "t", collection: "notes", signal: never };
    const failure = await reindexCollection(late.ports, world.pipeline, reindexing).catch((thrown) => thrown);
    expect(failure).toMatchObject({ code: "write_lost" });
    await sweep(world);
    expect(tables()).toHaveLength(1);
    world.embedder.before = () => {};
    expect(await shown(world)).toEqual(["a: word a"]);
  });

  test("a collection that is deleted or made anew under a search is searched as it is then", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    const gone = new AppError("unavailable", "vectors_unavailable", "The table is gone.");
    await world.ingest([{ id: "a", text: "word a" }]);
    world.hooks.nearest = async () => {
      await world.registry.remove("t", "notes");
      throw gone;
    };
    expect(await world.search("word")).toBeUndefined();
    world.hooks.nearest = async () => {};
    await world.ingest([{ id: "a", text: "word a" }]);
    world.hooks.nearest = async () => {
      world.hooks.nearest = async () => {};
      await world.registry.remove("t", "notes");
      await world.ingest([{ id: "b", text: "word b" }]);
      throw gone;
    };
    expect(await shown(world)).toEqual(["b: word b"]);
    world.hooks.nearest = async () => {
      throw gone;
    };
    expect(await world.search("word").catch((thrown) => thrown)).toBe(gone);
  });

  test("a document that the embedder can't take keeps none of the others out", async () => {
    await using storage = await open({ tables: ragWorldTables });
    const world = ragWorld(storage);
    world.embedder.before = (texts) => {
      if (texts.some((text) => text.includes("poison")))
        throw new AppError("upstream_failed", "embedder_failed", "The embedder can't take this.");
    };
    const documents = [
      { id: "a", text: "word a" },
      { id: "b", text: "poison" },
      { id: "c", text: "word c" },
    ];
    const refused: [number, string, string][] = [];
    await world.ingest(documents, { refused: (index, id, { code }) => refused.push([index, id, code]) });
    expect(refused).toEqual([[1, "b", "embedder_failed"]]);
    expect(await shown(world)).toEqual(["a: word a", "c: word c"]);
    // Without a report of failures, the error is thrown; earlier documents are stored.
    expect(await world.ingest(documents).catch((thrown) => thrown.code)).toBe("embedder_failed");
    expect(await world.rowCount()).toBe(2);
  });

  test.if(dialect === "sqlite")(
    "for any faults and concurrent writes, searches show each document once, whole, as it was ingested",
    async () => {
      const step = fc.record({
        document: fc.constantFrom("a", "b", "c"),
        version: fc.integer({ min: 0, max: 9 }),
        chunks: fc.integer({ min: 1, max: 4 }),
        fault: fc.constantFrom("none", "none", "none", "embed", "add", "remove", "delete"),
        together: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          await using storage = await open({ tables: ragWorldTables });
          const world = ragWorld(storage);
          let pending: Promise<unknown>[] = [];
          for (const { document, version, chunks, fault, together } of steps) {
            const text = Array.from({ length: chunks }, () => `word ${document} ${version}`.padEnd(40)).join(
              "",
            );
            const fails = (name: string) => async () => {
              if (fault === name) throw down();
            };
            world.embedder.before = fails("embed");
            world.hooks.add = fails("add");
            world.hooks.remove = fails("remove");
            const work =
              fault === "delete"
                ? removeDocument(world.ports, world.pipeline, {
                    tenant: "t",
                    collection: "notes",
                    id: document,
                  })
                : world.ingest([{ id: document, text }]);
            pending.push(work.catch(() => undefined));
            if (together) continue;
            await Promise.all(pending);
            pending = [];
            const texts = await shown(world);
            const byDocument = Map.groupBy(texts, (line) => line.slice(0, 1));
            for (const [name, lines] of byDocument) {
              const versions = new Set(lines.map((line) => line.split(" ")[3]));
              expect(versions.size).toBe(1);
              expect((await world.registry.find("t", "notes")) && lines.length).toBe(
                (await documentOf(world, name))?.chunks ?? -1,
              );
            }
          }
          await Promise.all(pending);
          world.hooks.remove = async () => {};
          await sweep(world);
          expect(await world.rowCount()).toBe((await shown(world)).length);
        }),
        { numRuns: 40 },
      );
    },
  );
});

async function documentOf(world: RagWorld, id: string) {
  const collection = await world.registry.find("t", "notes");
  return collection && world.registry.findDocument({ tenant: "t", collection: collection.id }, id);
}
