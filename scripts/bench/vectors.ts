/**
 * Measures collections in LanceDB: ingest of given vectors, searches by vector, by vector and words at once, and with a filter, recall against
 * an exhaustive comparison, and the memory of this process before and after.
 *
 *   node_modules/.bin/bun scripts/bench/vectors.ts [--rows 100000] [--queries 300]
 */
import { join } from "node:path";
import { systemClock } from "../../src/kit/clock.ts";
import { silentLogger as log } from "../../src/kit/log.ts";
import { createLanceStore } from "../../src/retrieval/stores/lancedb/lance-store.ts";
import { createLanceLoader } from "../../src/retrieval/stores/lancedb/native/load-lance.ts";
import { seeded } from "../../tests/support/campaign/seeded.ts";
import { quantiles } from "./figures.ts";
import { readOptions } from "./options.ts";
import { rssMib } from "./process-stats.ts";
import { temporaryWorkspace } from "./servers.ts";

const { rows, queries } = readOptions({ rows: 100_000, queries: 300 });
const dimension = 384;
const batchRows = Math.min(5000, rows);
const limit = 10;
const { signal } = new AbortController();

const random = seeded(1);
const bell = () => (random() + random() + random() - 1.5) * 2;
const centres = Array.from({ length: 200 }, () => Float32Array.from({ length: dimension }, bell));
/** A vector near one of overlapping clusters, like those of documents and of questions about them. */
const near = () =>
  (centres[Math.floor(random() * centres.length)] ?? new Float32Array()).map((value) => value + 0.5 * bell());
/** Words by Zipf's law. */
const words = (count: number) =>
  Array.from(
    { length: count },
    () => `w${Math.floor(Math.exp(random() * Math.log(20_000))).toString(36)}`,
  ).join(" ");

function batch(from: number) {
  const numbers = Array.from({ length: batchRows }, (_, at) => from + at);
  const vectors = new Float32Array(batchRows * dimension);
  for (let at = 0; at < batchRows; at++) vectors.set(near(), at * dimension);
  return {
    ids: numbers.map((row) => `0190a8c4-7b1e-7c11-9a51-${row.toString(16).padStart(12, "0")}/00000000/0-300`),
    groups: numbers.map((row) => `document-${Math.floor(row / 20)}`),
    write: "w",
    texts: numbers.map(() => words(50)),
    metadata: numbers.map((row) => ({ lang: ["en", "es", "de"][row % 3], year: 1990 + (row % 36) })),
    vectors,
  };
}

using folder = temporaryWorkspace();
const idleMib = rssMib(process.pid);
const load = createLanceLoader({ dataFolder: folder.path, log });
const store = createLanceStore({ place: join(folder.path, "vectors"), load, clock: systemClock, log });
const collection = await store.open({ tenant: "bench", kind: "rag", name: "bench" }, dimension);
const batches = Array.from({ length: Math.floor(rows / batchRows) }, (_, at) => batch(at * batchRows));

const startedMs = performance.now();
for (const one of batches) await collection.add(one);
const seconds = (performance.now() - startedMs) / 1000;
console.log(`ingest            ${Math.round(rows / seconds)} rows/s (${rows} × ${dimension})`);
await store.maintain?.(signal);

async function timed(name: string, search: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let at = -30; at < queries; at++) {
    const begunMs = performance.now();
    await search();
    if (at >= 0) took.push(performance.now() - begunMs);
  }
  console.log(`${name.padEnd(17)} p50 / p99 ${quantiles(took, [0.5, 0.99], 2).join(" / ")} ms`);
}

const query = () => ({ vector: near(), limit, signal });
await timed("vector", () => collection.nearest(query()));
await timed("vector and words", () => {
  const one = query();
  return Promise.all([collection.nearest(one), collection.matching?.({ ...one, text: words(3) })]);
});
await timed("one value", () => collection.nearest({ ...query(), filter: { lang: { eq: "es" } } }));
await timed("a range", () => collection.nearest({ ...query(), filter: { year: { gte: 2000, lt: 2010 } } }));

/** Ids of the most similar rows, by comparing all of them. */
function nearestOfAll(vector: Float32Array): Set<string> {
  const best: { id: string; score: number }[] = [];
  for (const { ids, vectors } of batches) {
    for (const [row, id] of ids.entries()) {
      let dot = 0;
      let length = 0;
      for (let at = 0; at < dimension; at++) {
        const value = vectors[row * dimension + at] ?? 0;
        dot += value * (vector[at] ?? 0);
        length += value * value;
      }
      const score = dot / Math.sqrt(length);
      if (best.length === limit && score <= (best.at(-1)?.score ?? 0)) continue;
      best.push({ id, score });
      best.sort((a, b) => b.score - a.score);
      if (best.length > limit) best.pop();
    }
  }
  return new Set(best.map(({ id }) => id));
}

const asked = Math.min(queries, 100);
let found = 0;
for (let at = 0; at < asked; at++) {
  const one = query();
  const best = nearestOfAll(one.vector);
  found += (await collection.nearest(one)).filter(({ id }) => best.has(id)).length;
}
console.log(`recall@${limit}         ${(found / (asked * limit)).toFixed(3)} (goal 0.98)`);
console.log(
  `memory            ${idleMib.toFixed(0)} MiB before, ${rssMib(process.pid).toFixed(0)} with the rows of this bench`,
);
await store.close();
process.exit(0);
