/**
 * Compares collections in LanceDB with bare LanceDB, in one process and in turns: ingest of given vectors, search by vector, by vector and
 * words at once, with a filter, recall against an exhaustive comparison, and the memory of a process with and without vectors.
 *
 *   node_modules/.bin/bun scripts/bench/vectors.ts [rows] [queries]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger as log } from "../../src/kit/log.ts";
import { indexedFromRows } from "../../src/retrieval/stores/lancedb/index-policy.ts";
import { createLanceStore } from "../../src/retrieval/stores/lancedb/lance-store.ts";
import type { LanceLibrary } from "../../src/retrieval/stores/lancedb/native/lance-library.ts";
import { createLanceLoader } from "../../src/retrieval/stores/lancedb/native/load-lance.ts";
import type { VectorCollection, VectorStore } from "../../src/retrieval/stores/vector-store.ts";
import { BareLance } from "./bare-lance.ts";
import { type BenchBatch, dimension, VectorData } from "./vector-data.ts";

const rows = Number(process.argv[2] ?? 100_000);
const queries = Number(process.argv[3] ?? 300);
const batchRows = 5000;
const limit = 10;
const { signal } = new AbortController();

const folder = mkdtempSync(join(tmpdir(), "argosy-bench-"));
const load = createLanceLoader({ dataFolder: folder, log });
const idleMib = rssMib();
const { lance } = await load();
const connection = await lance.connect(join(folder, "bare"));
const store = createLanceStore({ place: join(folder, "ours"), load, clock: systemClock, log });
const data = new VectorData();

interface Pair {
  bare: BareLance;
  ours: VectorCollection;
}

try {
  const batches = data.batches(rows, batchRows);
  const pair = await ingest(batches);
  const small = await smaller(batches);
  await timed("upkeep of all tables so far", () => (store as Required<VectorStore>).maintain(signal));
  await search(small, 10_000);
  await search(pair, rows);
  await store.close();
  console.log(
    `memory      ${idleMib} MiB before LanceDB was loaded, ${rssMib()} MiB at the end, with the data of this bench`,
  );
} finally {
  rmSync(folder, { recursive: true });
}

/** Ingests in three rounds into new tables, in turns; the last tables are searched. */
async function ingest(batches: readonly BenchBatch[]): Promise<Pair> {
  const rates: { bare: number[]; ours: number[] } = { bare: [], ours: [] };
  let pair: Pair | undefined;
  for (let round = 0; round < 3; round++) {
    const { bare, ours } = await emptyPair(lance, `r${round}`);
    rates.bare.push(await ratePerSecond(() => each(batches, (batch) => bare.add(batch))));
    rates.ours.push(await ratePerSecond(() => each(batches, (batch) => ours.add({ ...batch, write: "w" }))));
    pair = { bare, ours };
  }
  const [bare, ours] = [median(rates.bare), median(rates.ours)];
  line(
    `ingest of ${rows} × ${dimension}`,
    bare,
    ours,
    "rows/s",
    ours / bare,
    "at least 0.7×",
    ours / bare >= 0.7,
  );
  if (pair === undefined) throw new Error("There was no round.");
  return pair;
}

async function smaller(batches: readonly BenchBatch[]): Promise<Pair> {
  const pair = await emptyPair(lance, "small");
  for (const batch of batches.slice(0, 10_000 / batchRows)) {
    await pair.bare.add(batch);
    await pair.ours.add({ ...batch, write: "w" });
  }
  return pair;
}

async function search({ bare, ours }: Pair, count: number): Promise<void> {
  await timed(`index of ${count}, bare`, () => bare.index(count, indexedFromRows));
  const vector = await inTurns(
    async () => bare.nearest(data.query(), limit),
    async () => ours.nearest({ vector: data.query(), limit, signal }),
  );
  lineOf(`vector, ${count} rows`, vector);
  const hybrid = await inTurns(
    async () => Promise.all([bare.nearest(data.query(), limit), bare.matching(data.words(3), limit)]),
    async () => {
      const query = { vector: data.query(), limit, signal };
      return Promise.all([ours.nearest(query), ours.matching?.({ ...query, text: data.words(3) })]);
    },
  );
  lineOf(`vector and words, ${count} rows`, hybrid);
  for (const [name, filter] of [
    ["one value", { lang: { eq: "es" } }],
    ["a range", { year: { gte: 2000, lt: 2010 } }],
  ] as const) {
    const { ours: ms } = await inTurns(
      async () => undefined,
      async () => {
        const found = await ours.nearest({ vector: data.query(), limit, filter, signal });
        if (found.length !== limit) throw new Error(`A filter left ${found.length} rows.`);
      },
    );
    console.log(`${`  filtered by ${name}`.padEnd(36)} ${ms.toFixed(2)} ms`);
  }
  await recall({ bare, ours }, count);
}

async function recall({ bare, ours }: Pair, count: number): Promise<void> {
  let found = 0;
  const asked = Math.min(queries, 100);
  for (let at = 0; at < asked; at++) {
    const vector = data.query();
    const best = new Set(await bare.nearest(vector, limit, true));
    found += (await ours.nearest({ vector, limit, signal })).filter(({ id }) => best.has(id)).length;
  }
  const share = found / (asked * limit);
  console.log(
    `${`recall@${limit}, ${count} rows`.padEnd(36)} ${share.toFixed(3)} (at least 0.98) ${share >= 0.98 ? "ok" : "MISSED"}`,
  );
}

async function emptyPair(loaded: LanceLibrary["lance"], name: string): Promise<Pair> {
  const bare = await BareLance.create(loaded, connection, name);
  return { bare, ours: await store.open({ tenant: "bench", kind: "rag", name }, dimension) };
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (const item of items) await work(item);
}

async function ratePerSecond(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return rows / ((performance.now() - startedAt) / 1000);
}

async function timed(name: string, work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  await work();
  console.log(`${name.padEnd(36)} ${((performance.now() - startedAt) / 1000).toFixed(2)} s`);
}

/** Returns the medians of `queries` calls of each, in turns, after a warm-up. */
async function inTurns(bare: () => Promise<unknown>, ours: () => Promise<unknown>) {
  const took: { bare: number[]; ours: number[] } = { bare: [], ours: [] };
  for (let at = -30; at < queries; at++) {
    for (const [name, work] of [
      ["bare", bare],
      ["ours", ours],
    ] as const) {
      const startedAt = performance.now();
      await work();
      if (at >= 0) took[name].push(performance.now() - startedAt);
    }
  }
  return { bare: median(took.bare), ours: median(took.ours) };
}

function lineOf(name: string, { bare, ours }: { bare: number; ours: number }): void {
  line(`${name}, p50`, bare, ours, "ms", ours / bare, "at most 1.3×", ours / bare <= 1.3);
}

function line(
  name: string,
  bare: number,
  ours: number,
  unit: string,
  ratio: number,
  goal: string,
  met: boolean,
): void {
  const figure = (value: number) => value.toFixed(unit === "ms" ? 2 : 0);
  console.log(
    `${name.padEnd(36)} bare ${figure(bare)} ${unit}, ours ${figure(ours)} ${unit}: ${ratio.toFixed(2)}× (${goal}) ${met ? "ok" : "MISSED"}`,
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
}

function rssMib(): number {
  const [, kib = "0"] = /^VmRSS:\s+(\d+)/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Math.round(Number(kib) / 1024);
}
