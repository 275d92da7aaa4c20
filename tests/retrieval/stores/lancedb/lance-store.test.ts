import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { systemClock } from "../../../../src/kit/clock.ts";
import type { VectorCollection } from "../../../../src/retrieval/stores/vector-store.ts";
import { asked, batchOf, lanceStore, someCollection, type TestRow } from "../../../support/lance-store.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const textsOf = async (collection: VectorCollection) =>
  Object.fromEntries((await collection.list({}, { limit: 100_000 })).map(({ id, text }) => [id, text]));

const rows = (from: number, count: number, text: string): TestRow[] =>
  Array.from({ length: count }, (_, at) => ({ id: `id${from + at}`, text }));

describe("adding the same ids again replaces their rows", () => {
  test.each([
    ["a few", 3],
    ["so many that all ids are remembered", 400],
  ])("%s, also in another process's life and over others", async (_, count) => {
    using folder = temporaryFolder();
    const first = lanceStore(folder.path);
    const collection = await first.open(someCollection, 2);
    await collection.add(batchOf(rows(0, count, "first")));
    await collection.add(batchOf(rows(0, count, "first")));
    expect(await collection.count()).toBe(count);
    // Half of them are new.
    await collection.add(batchOf(rows(Math.floor(count / 2), count, "second"), "w2"));
    await first.close();

    const second = lanceStore(folder.path);
    const again = await second.open(someCollection, 2);
    await again.add(batchOf(rows(0, 1, "third"), "w3"));
    const texts = await textsOf(again);
    expect(Object.keys(texts)).toHaveLength(count + Math.floor(count / 2));
    expect(texts.id0).toBe("third");
    expect(texts[`id${count}`]).toBe("second");
    // Replaced words are no longer found either.
    const found = await again.matching?.({ ...asked([1, 0], 10_000), text: "second" });
    expect(found).toHaveLength(count);
    await second.close();
  });
});

test("after concurrent additions, replacements and removals, rows are as if these came one after the other", async () => {
  using folder = temporaryFolder();
  const store = lanceStore(folder.path);
  const id = fc.nat(12).map((number) => `id${number}`);
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ add: fc.array(id, { maxLength: 6 }) }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.array(id, { maxLength: 4 }) }) },
    { weight: 1, arbitrary: fc.record({ forget: fc.constantFrom("g0", "g1") }) },
    { weight: 1, arbitrary: fc.constant({ tend: true }) },
  );
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const collection = await store.open({ ...someCollection, name: String(round++) }, 2);
      const expected = new Map<string, TestRow>();
      const under = steps.map((one, at) => {
        if ("add" in one) {
          const added = one.add.map((name) => ({ id: name, text: `t${at}`, group: `g${at % 2}` }));
          for (const row of added) expected.set(row.id, row);
          return collection.add(batchOf(added, `w${at}`));
        }
        if ("remove" in one) {
          for (const name of one.remove) expected.delete(name);
          return collection.remove({ ids: one.remove });
        }
        if ("tend" in one) return store.maintain?.(new AbortController().signal);
        for (const [name, { group }] of expected) if (group === one.forget) expected.delete(name);
        return collection.remove({ group: one.forget });
      });
      await Promise.all(under);
      const texts = Object.fromEntries([...expected.values()].map(({ id, text }) => [id, text ?? ""]));
      expect(await textsOf(collection)).toEqual(texts);
    }),
    { numRuns: 25 },
  );
  await store.close();
});

test("many small additions at once make few files", async () => {
  using folder = temporaryFolder();
  const store = lanceStore(folder.path);
  const collection = await store.open(someCollection, 2);
  await Promise.all(Array.from({ length: 500 }, (_, at) => collection.add(batchOf([{ id: `id${at}` }]))));
  expect(await collection.count()).toBe(500);
  const [table = ""] = readdirSync(join(folder.path, "vectors"));
  expect(readdirSync(join(folder.path, "vectors", table, "data")).length).toBeLessThan(20);
  await store.close();
});

describe("tables are opened as they are needed", () => {
  test("with more collections in use than may stay open, each keeps its rows", async () => {
    using folder = temporaryFolder();
    const store = lanceStore(folder.path, { limits: { openTablesMax: 2 } });
    const names = Array.from({ length: 6 }, (_, at) => `c${at}`);
    const collections = await Promise.all(names.map((name) => store.open({ ...someCollection, name }, 2)));
    for (const round of [0, 1, 2])
      await Promise.all(
        collections.map((collection, at) => collection.add(batchOf([{ id: `r${round}`, text: `c${at}` }]))),
      );
    for (const [at, collection] of collections.entries())
      expect(await textsOf(collection)).toEqual({ r0: `c${at}`, r1: `c${at}`, r2: `c${at}` });
    await store.close();
  });

  test("closing waits for what is being added", async () => {
    using folder = temporaryFolder();
    const store = lanceStore(folder.path);
    const collection = await store.open(someCollection, 2);
    const adding = Array.from({ length: 20 }, (_, at) => collection.add(batchOf([{ id: `id${at}` }])));
    await store.close();
    await Promise.all(adding);
    const again = lanceStore(folder.path);
    expect(await (await again.open(someCollection, 2)).count()).toBe(20);
    await again.close();
  });

  test("a collection may be dropped while it is searched and written to", async () => {
    using folder = temporaryFolder();
    const store = lanceStore(folder.path);
    for (let round = 0; round < 10; round++) {
      const collection = await store.open(someCollection, 2);
      await collection.add(batchOf([{ id: "a" }]));
      const search = () => collection.nearest(asked([1, 0], 5));
      const under = [search(), collection.add(batchOf([{ id: "b" }])), store.drop(someCollection), search()];
      const [before] = (await Promise.all(under)) as [unknown[]];
      expect(before.length).toBeGreaterThan(0);
      expect(await collection.count()).toBe(0);
      expect(readdirSync(join(folder.path, "vectors"))).toEqual([]);
    }
    await store.close();
  });

  test("what a process left in the middle of a drop is removed", async () => {
    using folder = temporaryFolder();
    const left = join(folder.path, "vectors/.dropped-1e9fe1a8-0cd7-4bb1-8d43-52b42f4bd5a4");
    mkdirSync(left, { recursive: true });
    writeFileSync(join(left, "file"), "x");
    const store = lanceStore(folder.path);
    await store.check();
    expect(readdirSync(join(folder.path, "vectors"))).toEqual([]);
    await store.close();
  });
});

describe("searches that end otherwise", () => {
  test("one whose signal has aborted isn't begun", async () => {
    using folder = temporaryFolder();
    const store = lanceStore(folder.path);
    const collection = await store.open(someCollection, 2);
    const signal = AbortSignal.abort(new Error("gone"));
    const thrown = await collection.nearest({ ...asked([1, 0], 5), signal }).catch((error) => error.message);
    expect(thrown).toBe("gone");
    await store.close();
  });

  test("a call that is cancelled while it waits or runs frees its place", async () => {
    using folder = temporaryFolder();
    const store = lanceStore(folder.path, { limits: { searchesAtOnce: 1 } });
    const collection = await store.open(someCollection, 2);
    await collection.add(batchOf([{ id: "a" }]));
    const controller = new AbortController();
    const given = Array.from({ length: 5 }, () =>
      collection.nearest({ ...asked([1, 0], 5), signal: controller.signal }).catch((error) => error.message),
    );
    const kept = collection.nearest(asked([1, 0], 5));
    await Promise.resolve();
    controller.abort(new Error("gone"));
    expect(new Set(await Promise.all(given))).toEqual(new Set(["gone"]));
    expect(await kept).toHaveLength(1);
    await store.close();
  });

  test("searches beyond those that may wait are refused with the advice to try again", async () => {
    using folder = temporaryFolder();
    const store = lanceStore(folder.path, { limits: { searchesAtOnce: 1, searchesWaitingMax: 2 } });
    const collection = await store.open(someCollection, 2);
    const outcomes = await Promise.all(
      Array.from({ length: 9 }, () =>
        collection.nearest(asked([1, 0], 5)).then(
          () => "answered",
          (error) => error.code,
        ),
      ),
    );
    expect(outcomes.filter((outcome) => outcome === "too_busy")).toHaveLength(6);
    await store.close();
  });
});

describe("search by words", () => {
  const texts: [id: string, text: string][] = [
    ["english", "The running dogs of O'Brien jumped over a naïve café."],
    ["japanese", "東京都は日本の首都です"],
    ["chinese", "北京大学的学生都很努力"],
    ["korean", "안녕하세요 세계"],
    ["thai", "สวัสดีชาวโลก"],
    ["arabic", "مرحبا بالعالم"],
    ["russian", "Я люблю кошек"],
    ["code", "call parse_json(text) in C++ or 3.14"],
    ["emoji", "good 😀 morning"],
    ["stop", "to be or not to be"],
  ];

  async function filled(folder: string) {
    const store = lanceStore(folder);
    const collection = await store.open(someCollection, 2);
    await collection.add(batchOf(texts.map(([id, text]) => ({ id, text, vector: [1, 1] }))));
    const find = async (text: string) =>
      (await collection.matching?.({ ...asked([1, 0], 10), text }))?.map(({ id }) => id);
    return { store, collection, find };
  }

  test.each([
    ["dog", ["english"]],
    ["RUN jump", ["english"]],
    ["cafe naive", ["english"]],
    ["obrien's O'Brien", ["english"]],
    ["首都", ["japanese"]],
    ["東京", ["japanese"]],
    ["大学", ["chinese"]],
    ["세계", ["korean"]],
    ["โลก", ["thai"]],
    ["بالعالم", ["arabic"]],
    ["кошек", ["russian"]],
    ["json", ["code"]],
    ["3.14", ["code"]],
    ["not to be", ["stop"]],
    ["nowhere", []],
    ["", []],
    [" \n\t ", []],
    ["😀", []],
    ['"', []],
    ["' OR 1=1 --", ["code", "stop"]],
    ["( AND ) NOT * ~ ^ : + -", ["stop"]],
    ["\u0000", []],
    ["\ud800", []],
    ["x".repeat(10_240), []],
    ["nowhere at all ".repeat(680), []],
  ])("%j finds %j, before and after the index is brought up to date", async (text, expected) => {
    using folder = temporaryFolder();
    const { store, find } = await filled(folder.path);
    const before = await find(text);
    expect(before?.toSorted()).toEqual(expected.toSorted());
    await optimize(folder.path);
    expect((await find(text))?.toSorted()).toEqual(expected.toSorted());
    await store.close();
  });

  test("the score is the similarity of the vectors, without the weight of words", async () => {
    using folder = temporaryFolder();
    const { store, collection } = await filled(folder.path);
    const rows = [
      { id: "opposite", text: "dog dog dog dog", vector: [-1, 0] },
      { id: "none", text: "dog", vector: [0, 0] },
      { id: "same", text: "a dog among many other words of no meaning", vector: [7, 0] },
    ];
    await collection.add(batchOf(rows));
    const found = await collection.matching?.({ ...asked([1, 0], 10), text: "dog" });
    const scores = Object.fromEntries(found?.map(({ id, score }) => [id, score]) ?? []);
    expect(scores).toMatchObject({ opposite: 0, none: 0, same: 1 });
    expect(scores.english).toBeCloseTo(Math.SQRT1_2, 5);
    expect(found?.[0]?.id).toBe("opposite");
    await store.close();
  });

  /** Runs upkeep, as after many removals. */
  async function optimize(folder: string) {
    const store = lanceStore(folder);
    const collection = await store.open(someCollection, 2);
    await collection.remove({ ids: ["nobody"] });
    await store.maintain?.(new AbortController().signal);
    await store.close();
  }
});

test("upkeep removes what only old versions need, once no search can be reading them", async () => {
  using folder = temporaryFolder();
  let laterMs = 0;
  const startMs = systemClock.now().getTime();
  const clock = { ...systemClock, now: () => new Date(startMs + laterMs) };
  const store = lanceStore(folder.path, { clock });
  const collection = await store.open(someCollection, 2);
  for (let at = 0; at < 40; at++) await collection.add(batchOf([{ id: `id${at}`, text: `secret${at}` }]));
  await collection.remove({ ids: ["id7"] });
  const [table = ""] = readdirSync(join(folder.path, "vectors"));
  const files = () => readdirSync(join(folder.path, "vectors", table, "data")).length;
  const { signal } = new AbortController();
  expect(files()).toBe(40);
  await store.maintain?.(signal);
  expect(files()).toBe(41);
  laterMs = 19_000;
  await store.maintain?.(signal);
  expect(files()).toBe(41);
  laterMs = 3_600_000;
  await store.maintain?.(signal);
  expect(files()).toBe(1);
  expect(Object.keys(await textsOf(collection))).toHaveLength(39);
  const stored = readdirSync(join(folder.path, "vectors", table), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => Bun.file(join(entry.parentPath, entry.name)).bytes());
  const bytes = Buffer.concat(await Promise.all(stored));
  expect(bytes.includes("secret6")).toBe(true);
  expect(bytes.includes("secret7")).toBe(false);
  await store.close();
});
