/**
 * Measures the built-in embedder and the chunkers: `bun scripts/bench/embedding.ts`. Chunks per second of `local_hash` on the main thread
 * and through its worker, how long the event loop was blocked meanwhile, and megabytes per second of each chunking strategy.
 */
import { systemClock } from "../../src/kit/clock.ts";
import { chunkerNames, createChunker } from "../../src/retrieval/chunking/create-chunker.ts";
import type { Embedder } from "../../src/retrieval/embedding/embedder.ts";
import { createTextHasher } from "../../src/retrieval/embedding/local-hash/hash-text.ts";
import { createHashThread } from "../../src/retrieval/embedding/local-hash/hash-thread.ts";
import { createLocalHash } from "../../src/retrieval/embedding/local-hash/local-hash.ts";

const never = new AbortController().signal;
const dimension = 384;
const chunks = 20_000;
const rounds = 5;
const documentBytes = 8 * 1024 * 1024;

const words =
  "argosy carries agents over the sea of documents where chunks are found by their words and a query asks for passages about harbours tides lamps keepers storms sails maps ropes anchors cargo crews ports".split(
    " ",
  );

/** Returns the same text in every run: words in an order that does not repeat soon. */
function prose(characters: number, seed = 1): string {
  const parts: string[] = [];
  let state = seed;
  for (let length = 0, at = 1; length < characters; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const word = `${words[state % words.length]}${at % 12 === 0 ? "." : ""}${at % 90 === 0 ? "\n\n" : " "}`;
    parts.push(word);
    length += word.length;
  }
  return parts.join("").slice(0, characters);
}

/** Returns the longest time that the event loop was blocked while `work` was running. */
async function lagOf(work: () => Promise<unknown>): Promise<number> {
  let lagMs = 0;
  let lastMs = performance.now();
  const watch = setInterval(() => {
    const nowMs = performance.now();
    lagMs = Math.max(lagMs, nowMs - lastMs - 1);
    lastMs = nowMs;
  }, 1);
  // One turn, so that the watch has started.
  await new Promise((resolve) => setTimeout(resolve, 5));
  await work();
  // A block at the very end shows in the next turn.
  lagMs = Math.max(lagMs, performance.now() - lastMs - 1);
  clearInterval(watch);
  return lagMs;
}

interface Measured {
  seconds: number;
  lagMs: number;
}

/** Returns the round with the median time; the first round is a warm-up. */
async function median(work: () => Promise<unknown>): Promise<Measured> {
  const measured: Measured[] = [];
  for (let round = 0; round <= rounds; round++) {
    let seconds = 0;
    const lagMs = await lagOf(async () => {
      const startedMs = performance.now();
      await work();
      seconds = (performance.now() - startedMs) / 1000;
    });
    if (round > 0) measured.push({ seconds, lagMs });
  }
  measured.sort((one, other) => one.seconds - other.seconds);
  return measured[Math.floor(rounds / 2)] ?? { seconds: Number.NaN, lagMs: Number.NaN };
}

function say(what: string, rate: string, lagMs: number): void {
  console.log(
    `${what.padEnd(36)} ${rate.padStart(18)}   event loop still for ${lagMs.toFixed(1)} ms at most`,
  );
}

const thread = createHashThread(systemClock);
const embedder = createLocalHash(dimension, thread);
const texts = Array.from({ length: chunks }, (_, at) => prose(512, at + 1));

const hasher = createTextHasher(dimension);
const inline = await median(async () => {
  const vectors = new Float32Array(chunks * dimension);
  for (const [at, text] of texts.entries()) hasher.hash(text, vectors, at * dimension);
});
say("local_hash, main thread", `${Math.round(chunks / inline.seconds)} chunks/s`, inline.lagMs);

const worker = await median(() => embedder.embed(texts, "document", never));
say("local_hash, worker", `${Math.round(chunks / worker.seconds)} chunks/s`, worker.lagMs);

const query = await median(async () => {
  for (let asked = 0; asked < 1000; asked++)
    await embedder.embed(["where do the keepers keep maps?"], "query", never);
});
say("local_hash, one question", `${(query.seconds * 1000).toFixed(1)} µs each`, query.lagMs);

const line = "x".repeat(5_000_000);
const oneLine = await median(() => embedder.embed([line], "document", never));
say("local_hash, one line of 5 MB", `${(oneLine.seconds * 1000).toFixed(0)} ms`, oneLine.lagMs);

const document = prose(documentBytes);
const alike: Pick<Embedder, "dimension" | "embed"> = {
  dimension: async () => 1,
  embed: async (sentences) => new Float32Array(sentences.length).fill(1),
};
for (const strategy of chunkerNames) {
  const settings = { strategy, chunk_size: 512, overlap: 50, similarity_threshold: 0.5 };
  const chunker = createChunker(settings, { ...embedder, ...alike });
  const cut = await median(() => chunker(document, never));
  const name = strategy === "semantic" ? "semantic, without its embedder" : strategy;
  say(`chunker ${name}`, `${(documentBytes / 1e6 / cut.seconds).toFixed(0)} MB/s`, cut.lagMs);
}
thread.close();
