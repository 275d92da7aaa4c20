import { describe, expect, test } from "bun:test";
import { AppError } from "../../../../../src/kit/app-error.ts";
import { newId } from "../../../../../src/kit/id.ts";
import type { Embedder } from "../../../../../src/retrieval/embedding/embedder.ts";
import type { TextSelection } from "../../../../../src/retrieval/memory/memory-index.ts";
import { createMemoryStore } from "../../../../../src/retrieval/stores/memory/memory-store.ts";
import type { VectorCollection, VectorStore } from "../../../../../src/retrieval/stores/vector-store.ts";
import type { StoredTexts } from "../../../../../src/services/daemon/memory/semantic/stored-texts.ts";
import { tables } from "../../../../../src/services/daemon/tables.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { lanceStore } from "../../../../support/lance-store.ts";
import { refusal } from "../../../../support/refusal.ts";
import { localHash, type StagedMemories, stagedMemories } from "../../../../support/staged-memories.ts";
import { onEachEngine } from "../../../../support/storage-engines.ts";
import { temporaryFolder } from "../../../../support/temp-folder.ts";

const owner = { tenant: "t", agent: "a" };
const { signal } = new AbortController();
const at = new Date("2026-01-01T00:00:00Z");

const settings = { embedder: "local_hash", max_results: 10 };

function textsOf(memories: StagedMemories): StoredTexts {
  memories.parts.semanticOf(settings);
  return textsOfLast(memories);
}

function textsOfLast(memories: StagedMemories): StoredTexts {
  const texts = memories.texts.at(-1);
  if (texts === undefined) throw new Error("no memory was made");
  return texts;
}

const keep = (
  texts: StoredTexts,
  query: string,
  { session = "s", user, trace = newId() }: Partial<Record<"session" | "user" | "trace", string>> = {},
) =>
  texts.keep(
    { ...owner, sessionId: session, user },
    { query, response: `Noted: ${query}`, traceId: trace, at },
  );

const found = async (texts: StoredTexts, query: string, selection: TextSelection = {}) =>
  (await texts.search(owner, { query, limit: 100, scoreMin: 0.2, selection, signal })).map(
    ({ text }) => text,
  );

const listed = async (texts: StoredTexts, selection: TextSelection = {}) =>
  (await texts.list(owner, selection, { limit: 1000, signal })).map(({ text }) => text).sort();

/** A store whose collections are changed by `change`. */
function changedStore(
  change: (collection: VectorCollection) => Partial<VectorCollection>,
  store = createMemoryStore(),
): VectorStore {
  return {
    ...store,
    backend: "memory",
    open: async (key, dimension) => {
      const collection = await store.open(key, dimension);
      const bound: VectorCollection = {
        dimension: collection.dimension,
        add: (batch) => collection.add(batch),
        nearest: (query) => collection.nearest(query),
        remove: (what) => collection.remove(what),
        count: () => collection.count(),
        list: (what, page) => collection.list(what, page),
      };
      return { ...bound, ...change(bound) };
    },
    drop: (key) => store.drop(key),
    check: () => store.check(),
    close: () => store.close(),
  };
}

onEachEngine("semantic memory", (engine) => {
  async function opened(options: Parameters<typeof stagedMemories>[0] = {}) {
    const held = new AsyncDisposableStack();
    const storage = held.use(await engine.open({ service: "daemon", tables }));
    const memories = held.use(await stagedMemories({ storage, ...options }));
    return { memories, texts: textsOf(memories), held };
  }

  test("keeps question and answer, and finds them by what they say", async () => {
    const { texts, held } = await opened();
    await using _ = held;
    await keep(texts, "the red bicycle is in the cellar", { user: "ann", trace: "tr" });
    const [first] = await texts.search(owner, {
      query: "where is the red bicycle",
      limit: 1,
      scoreMin: 0,
      selection: {},
      signal,
    });
    expect(first).toMatchObject({
      text: "the red bicycle is in the cellar",
      session: "s",
      user: "ann",
      origin: "tr",
      metadata: { role: "user", timestamp: "2026-01-01T00:00:00.000Z", trace_id: "tr" },
    });
    expect(first?.score).toBeGreaterThan(0.3);
    expect(await listed(texts)).toEqual([
      "Noted: the red bicycle is in the cellar",
      "the red bicycle is in the cellar",
    ]);
  });

  test.each<[string, (ids: Record<string, string>) => TextSelection, string[]]>([
    ["session", () => ({ session: "s1" }), ["bicycle three", "bicycle two"]],
    ["user", () => ({ users: ["ann"] }), ["bicycle one", "bicycle two"]],
    [
      "session and user",
      () => ({ session: "s1", users: ["ann"] }),
      ["bicycle one", "bicycle three", "bicycle two"],
    ],
    ["id", ({ two }) => ({ id: two ?? "" }), ["bicycle one", "bicycle three"]],
    ["an id that nobody has", () => ({ id: "none" }), ["bicycle one", "bicycle three", "bicycle two"]],
  ])("forgets by %s, and it is found no more", async (name, select, left) => {
    const { texts, held } = await opened();
    await using _ = held;
    const ids: Record<string, string> = {};
    for (const [which, session, user] of [
      ["one", "s1", ""],
      ["two", "s2", ""],
      ["three", "s2", "ann"],
    ] as const) {
      const added = { text: `bicycle ${which}`, metadata: {}, session, user };
      ids[which] = await texts.add(owner, added);
    }
    const forgotten = await texts.forget(owner, select(ids));
    const expected = name === "session" ? ["bicycle three", "bicycle two"] : left;
    expect((await found(texts, "bicycle one two three")).sort()).toEqual(expected);
    expect(await listed(texts)).toEqual(expected);
    expect(forgotten).toBe(3 - expected.length);
    expect(await texts.forget(owner, select(ids))).toBe(0);
  });

  test("what waits is forgotten too, also one text of two and while it is being added", async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const store = changedStore((collection) => ({
      async add(batch) {
        begun.resolve();
        await gate.promise;
        return collection.add(batch);
      },
    }));
    const { texts, memories, held } = await opened({ store });
    await using _ = held;
    await keep(texts, "the bicycle is red", { session: "s1" });
    await begun.promise;
    await keep(texts, "the bicycle is green", { session: "s2" });
    const first = await memories.storage.read.select().from(memories.storage.tables.memoryWrites);
    const id = first.find(({ sessionId }) => sessionId === "s1")?.texts[1]?.id ?? "";
    const forgetting = Promise.all([texts.forget(owner, { id }), texts.forget(owner, { session: "s2" })]);
    gate.resolve();
    await forgetting;
    await memories.semantic.writer.idle();
    expect(await listed(texts)).toEqual(["the bicycle is red"]);
    expect(await memories.storage.read.select().from(memories.storage.tables.memoryWrites)).toEqual([]);
  });

  test("a text is written once however often it is tried", async () => {
    let failures = 0;
    const store = changedStore((collection) => ({
      // Reports a failure although it succeeded: the worst effect of a crash.
      async add(batch) {
        await collection.add(batch);
        if (failures++ < 3) throw new AppError("unavailable", "vectors_unavailable", "The store is away.");
      },
    }));
    const { texts, memories, held } = await opened({ store });
    await using _ = held;
    await keep(texts, "the bicycle is red");
    await memories.semantic.writer.idle();
    for (let attempt = 0; attempt < 4; attempt++) {
      await memories.semantic.writer.retry(owner);
      await memories.semantic.writer.idle();
    }
    expect(await listed(texts)).toEqual(["Noted: the bicycle is red", "the bicycle is red"]);
    expect(memories.failures()).toBeGreaterThan(0);
  });

  test("a text that can't be embedded holds up no other", async () => {
    const embedder = localHash();
    const picky: Embedder = {
      ...embedder,
      embed(some, ...rest) {
        if (some.some((text) => text.includes("poison")))
          throw new AppError("upstream_failed", "embedder_failed", "The model refuses this text.");
        return embedder.embed(some, ...rest);
      },
    };
    const { texts, memories, held } = await opened({ embedder: picky });
    await using _ = held;
    const adding = ["good one", "poison", "good two"].map((text) =>
      texts.add(owner, { text, metadata: {}, session: "", user: "" }),
    );
    await Promise.all(adding);
    await memories.semantic.writer.idle();
    expect(await listed(texts)).toEqual(["good one", "good two"]);
  });

  test("what a process left behind is kept by the next", async () => {
    const storage = await engine.open({ service: "daemon", tables });
    await using _ = storage;
    const down = changedStore(() => ({
      add: async () => {
        throw new AppError("unavailable", "vectors_unavailable", "The store is away.");
      },
    }));
    {
      await using before = await stagedMemories({ storage, store: down });
      const texts = textsOf(before);
      await keep(texts, "the bicycle is red");
      await before.semantic.writer.idle();
      expect(await listed(texts)).toEqual([]);
    }
    await using after = await stagedMemories({ storage });
    const texts = textsOf(after);
    await after.semantic.writer.retry(owner);
    await after.semantic.writer.idle();
    expect(await listed(texts)).toEqual(["Noted: the bicycle is red", "the bicycle is red"]);
  });

  test("long texts are found by any part, and are forgotten whole", async () => {
    const { texts, held } = await opened();
    await using _ = held;
    const parts = ["apples", "bicycles", "candles"].map((word) => `Here we speak of ${word}. `.repeat(30));
    const id = await texts.add(owner, { text: parts.join(""), metadata: {}, session: "", user: "" });
    for (const word of ["apples", "bicycles", "candles"]) {
      const [first] = await found(texts, `speak of ${word}`);
      expect(first).toContain(word);
      expect([...(first ?? "")].length).toBeLessThanOrEqual(500);
    }
    expect((await listed(texts)).length).toBeGreaterThan(3);
    expect(await texts.forget(owner, { id })).toBe(1);
    expect(await listed(texts)).toEqual([]);
  });

  test("an agent that is forgotten starts empty", async () => {
    const { texts, memories, held } = await opened();
    await using _ = held;
    await keep(texts, "the bicycle is red");
    await memories.semantic.forgetAgent(owner);
    expect(await listed(texts)).toEqual([]);
    expect(await found(texts, "the bicycle is red")).toEqual([]);
    await keep(texts, "the bicycle is blue");
    expect(await found(texts, "bicycle blue")).toEqual(["the bicycle is blue", "Noted: the bicycle is blue"]);
  });

  test("a text that waits while its agent is forgotten leaves neither the text nor a record", async () => {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const store = changedStore((collection) => ({
      async add(batch) {
        begun.resolve();
        await gate.promise;
        return collection.add(batch);
      },
    }));
    const { texts, memories, held } = await opened({ store });
    await using _ = held;
    await keep(texts, "the bicycle is red");
    await begun.promise;
    // Its turn comes after the deletion.
    const forgetting = memories.semantic.forgetAgent(owner);
    await keep(texts, "the bicycle is green");
    gate.resolve();
    await forgetting;
    await memories.semantic.writer.idle();
    const { memoryWrites, memoryCollections } = memories.storage.tables;
    expect(await memories.storage.read.select().from(memoryWrites)).toEqual([]);
    expect(await memories.storage.read.select().from(memoryCollections)).toEqual([]);
    expect(await listed(texts)).toEqual([]);
  });

  test("a text that another process adds while its agent is forgotten does not stay", async () => {
    const storage = await engine.open({ service: "daemon", tables });
    await using _ = storage;
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const shared = createMemoryStore();
    const store = changedStore(
      (collection) => ({
        async add(batch) {
          begun.resolve();
          await gate.promise;
          return collection.add(batch);
        },
      }),
      shared,
    );
    await using other = await stagedMemories({ storage, store });
    await using one = await stagedMemories({ storage, store: shared });
    await keep(textsOf(other), "the bicycle is red");
    await begun.promise;
    await one.semantic.forgetAgent(owner);
    gate.resolve();
    await other.semantic.writer.idle();
    const texts = textsOf(one);
    await texts.add(owner, { text: "the later agent's", metadata: {}, session: "", user: "" });
    await one.semantic.writer.idle();
    expect(await listed(texts)).toEqual(["the later agent's"]);
  });

  describe("another store", () => {
    /** An agent that has texts in LanceDB and now uses the memory of the process. */
    async function movedMemory() {
      const held = new AsyncDisposableStack();
      const storage = held.use(await engine.open({ service: "daemon", tables }));
      const folder = held.use(temporaryFolder());
      const lance = lanceStore(folder.path);
      held.defer(() => lance.close());
      const state = { isDown: false };
      const former: VectorStore = {
        ...lance,
        async drop(key) {
          if (state.isDown) throw new AppError("unavailable", "vectors_unavailable", "The store is away.");
          await lance.drop(key);
        },
      };
      const clock = new FakeClock();
      const stores = { lancedb: former, memory: createMemoryStore() };
      const memories = held.use(await stagedMemories({ storage, stores, clock }));
      const use = (backend: "lancedb" | "memory") => {
        memories.parts.semanticOf({ ...settings, backend });
        return textsOfLast(memories);
      };
      await keep(use("lancedb"), "the bicycle is red");
      await memories.semantic.writer.idle();
      await keep(use("memory"), "the bicycle is green");
      await memories.semantic.writer.idle();
      const records = () => storage.read.select().from(storage.tables.memoryCollections);
      return { memories, use, state, clock, records, held };
    }

    test("starts empty, and the former one is as it was when the agent uses it again", async () => {
      const { memories, use, held } = await movedMemory();
      await using _ = held;
      expect(await listed(textsOfLast(memories))).toEqual([
        "Noted: the bicycle is green",
        "the bicycle is green",
      ]);
      await keep(use("lancedb"), "the bicycle is blue");
      await memories.semantic.writer.idle();
      expect(await found(textsOfLast(memories), "bicycle red")).toContain("the bicycle is red");
      expect(await found(textsOfLast(memories), "bicycle blue")).toContain("the bicycle is blue");
    });

    test("has no text of a deleted agent, and neither has the former one", async () => {
      const { memories, use, records, held } = await movedMemory();
      await using _ = held;
      await memories.semantic.forgetAgent(owner);
      expect(await records()).toEqual([]);
      for (const backend of ["lancedb", "memory"] as const) {
        const texts = use(backend);
        await keep(texts, "the later agent's");
        await memories.semantic.writer.idle();
        expect(await listed(texts)).toEqual(["Noted: the later agent's", "the later agent's"]);
      }
    });

    test("if the former one is down, a deletion succeeds, and its texts go before they are found", async () => {
      const { memories, use, state, records, held } = await movedMemory();
      await using _ = held;
      state.isDown = true;
      await memories.semantic.forgetAgent(owner);
      expect(await memories.semantic.elsewhere()).toEqual([]);
      const texts = use("lancedb");
      expect(await listed(texts)).toEqual([]);
      expect(await found(texts, "bicycle red")).toEqual([]);
      await keep(texts, "the later agent's");
      await memories.semantic.writer.idle();
      expect(await listed(texts)).toEqual([]);
      state.isDown = false;
      await memories.semantic.writer.retry(owner);
      await memories.semantic.writer.idle();
      expect(await listed(texts)).toEqual(["Noted: the later agent's", "the later agent's"]);
      // What the later agent has is not deleted with what was left.
      await memories.semantic.catchUp();
      expect(await listed(texts)).toHaveLength(2);
      expect((await records()).map(({ agent, store }) => [agent, store])).toEqual([["a", "lancedb"]]);
    });

    test("texts in a former store that was down are deleted within a minute of its return", async () => {
      const { memories, state, clock, records, held } = await movedMemory();
      await using _ = held;
      state.isDown = true;
      await memories.semantic.forgetAgent(owner);
      const stopping = new AbortController();
      const forgetting = memories.semantic.forgetter().run(stopping.signal);
      await clock.advance(60_000);
      await memories.semantic.catchUp();
      expect(await records()).toHaveLength(1);
      state.isDown = false;
      while ((await records()).length > 0) await clock.advance(60_000);
      stopping.abort();
      await forgetting;
    });

    test("a store in use that is down keeps the agent from being deleted", async () => {
      const { memories, use, state, held } = await movedMemory();
      await using _ = held;
      await keep(use("lancedb"), "the bicycle is blue");
      await memories.semantic.writer.idle();
      state.isDown = true;
      expect(await refusal(memories.semantic.forgetAgent(owner))).toMatchObject({
        code: "vectors_unavailable",
      });
    });
  });

  describe("another embedder", () => {
    const other = (): Embedder => ({ ...localHash(), id: "other/1", dimension: async () => 384 });

    test("is 409 until the memory is indexed again, which loses nothing", async () => {
      const storage = await engine.open({ service: "daemon", tables });
      await using _ = storage;
      const store = createMemoryStore();
      {
        await using before = await stagedMemories({ storage, store });
        const texts = textsOf(before);
        await keep(texts, "the bicycle is red", { user: "ann" });
        await texts.add(owner, {
          text: "Long words. ".repeat(100),
          metadata: { k: 1 },
          session: "",
          user: "",
        });
        await before.semantic.writer.idle();
      }
      await using after = await stagedMemories({ storage, store, embedder: other() });
      const texts = textsOf(after);
      const question = { query: "bicycle", shown: [], signal };
      expect(
        await refusal(texts.recall({ ...owner, sessionId: "x", user: undefined }, question)),
      ).toMatchObject({
        code: "embedder_changed",
        status: 409,
        details: { hint: expect.stringContaining("/v1/memory/a/semantic/reindex") },
      });
      await keep(texts, "the bicycle is blue");
      expect(await listed(texts, { users: ["ann"] })).toHaveLength(2);
      expect(await texts.reindex(owner)).toBe(3);
      await after.semantic.writer.idle();
      expect(await found(texts, "bicycle is red", { users: ["ann"] })).toEqual([
        "the bicycle is red",
        "Noted: the bicycle is red",
      ]);
      expect(await found(texts, "bicycle is blue")).toContain("the bicycle is blue");
      const long = (await texts.list(owner, {}, { limit: 100, signal })).filter(({ text }) =>
        text.includes("Long"),
      );
      expect(long[0]?.metadata).toMatchObject({ k: 1, piece: 1, pieces: long.length });
      expect(new Set(long.map(({ id }) => id)).size).toBe(1);
    });
  });

  test("secrets are not kept, neither in the database nor in the store", async () => {
    const mask = (text: string) => text.replaceAll("CANARY", "[redacted]");
    const { texts, memories, held } = await opened({ mask });
    await using _ = held;
    await keep(texts, "my key is CANARY");
    const metadata = { note: "CANARY", deep: { CANARY: ["CANARY"] } };
    await texts.add(owner, { text: "CANARY again", metadata, session: "", user: "" });
    const waiting = await memories.storage.read.select().from(memories.storage.tables.memoryWrites);
    const rows = await texts.list(owner, {}, { limit: 10, signal });
    expect(rows).toHaveLength(3);
    expect(JSON.stringify([waiting, rows])).not.toContain("CANARY");
  });
});
