import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ChunkingSettings } from "../../../src/retrieval/chunking/chunker.ts";
import { chunkerNames, createChunker } from "../../../src/retrieval/chunking/create-chunker.ts";
import type { Embedder } from "../../../src/retrieval/embedding/embedder.ts";
import { createTextHasher } from "../../../src/retrieval/embedding/local-hash/hash-text.ts";
import { refusal } from "../../support/refusal.ts";
import { checkChunks, rejoined } from "./chunk-check.ts";

const never = new AbortController().signal;

const hasher = createTextHasher(32);
const embedder: Embedder = {
  id: "hash",
  isLexical: true,
  defaultThreshold: 0.3,
  dimension: async () => 32,
  async embed(texts) {
    const vectors = new Float32Array(texts.length * 32);
    for (const [at, text] of texts.entries()) hasher.hash(text, vectors, at * 32);
    return vectors;
  },
};

const settingsOf = (strategy: string, chunk_size: number, overlap: number): ChunkingSettings => ({
  strategy,
  chunk_size,
  overlap,
  similarity_threshold: 0.3,
});

const pieces = fc.oneof(
  fc.constantFrom(
    ..."a|word |A sentence. |What? |\n|\n\n|\r\n|\r\n\r\n|# Heading\n|- item\n|1. one\n|Dr. |e.g. |...|. |   |\t|\u00a0".split(
      "|",
    ),
    ..."日本語の文。|、|ภาษาไทย|👩‍👩‍👧|🇪🇸|👍🏽|e\u0301|\u0301|\u200d|\ud800|\udc00|\0".split("|"),
    "x".repeat(30),
  ),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const documents = fc.array(pieces, { maxLength: 50 }).map((parts) => parts.join(""));

test.each([...chunkerNames])("%s loses nothing and keeps its word on any text", async (strategy) => {
  const sizes = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat(59));
  await fc.assert(
    fc.asyncProperty(documents, sizes, async (text, [size, wanted]) => {
      const overlap = Math.min(wanted, size - 1);
      const chunks = await createChunker(settingsOf(strategy, size, overlap), embedder)(text, never);
      checkChunks(text, chunks, size, overlap);
      expect(rejoined(chunks)).toBe(text);
    }),
    { numRuns: 400 },
  );
});

test("recursive keeps its word with any separators", async () => {
  const separators = fc.array(
    fc.oneof(fc.constantFrom("\n## ", "\n\n", "\n", ". ", " ", "", "、", "x"), fc.string()),
    {
      maxLength: 5,
    },
  );
  await fc.assert(
    fc.asyncProperty(documents, separators, fc.integer({ min: 1, max: 40 }), async (text, own, size) => {
      const overlap = Math.floor(size / 3);
      const settings = { ...settingsOf("recursive", size, overlap), separators: own };
      checkChunks(text, await createChunker(settings, embedder)(text, never), size, overlap);
    }),
    { numRuns: 400 },
  );
});

test.each([...chunkerNames])(
  "%s: an empty text has no chunks, a short one is one chunk",
  async (strategy) => {
    const chunk = createChunker(settingsOf(strategy, 100, 20), embedder);
    expect(await chunk("", never)).toEqual([]);
    expect(await chunk("Just this 👍🏽", never)).toEqual([{ text: "Just this 👍🏽", start: 0, end: 12 }]);
  },
);

const prose =
  "The lamp is lit at dusk and put out at dawn. Nobody saw the keeper leave. Was it the storm? ".repeat(40);

test.each([...chunkerNames])(
  "%s: what may be shared is shared, about as much as was said",
  async (strategy) => {
    // With a single topic, semantic chunking cuts only full chunks.
    const settings = { ...settingsOf(strategy, 200, 40), similarity_threshold: 0 };
    const alike: Embedder = {
      ...embedder,
      embed: async (texts) => new Float32Array(texts.length * 32).fill(1),
    };
    const chunks = await createChunker(settings, alike)(prose, never);
    const shared = chunks.slice(1).map(({ start }, at) => (chunks[at]?.end ?? 0) - start);
    expect(Math.min(...shared)).toBeGreaterThanOrEqual(20);
    expect(Math.max(...shared)).toBeLessThanOrEqual(40);
  },
);

test.each([...chunkerNames])("%s: white space alone makes chunks like any text", async (strategy) => {
  const text = " \n".repeat(500);
  const chunks = await createChunker(settingsOf(strategy, 64, 8), embedder)(text, never);
  checkChunks(text, chunks, 64, 8);
});

test.each([
  ["emoji of several parts", "👩‍👩‍👧".repeat(60)],
  ["flags", "🇪🇸🇩🇪".repeat(60)],
  ["letters with accents", "e\u0301\u0323".repeat(100)],
  ["Devanagari", "नमस्ते".repeat(60)],
  ["Hangul in parts", "\u1112\u1161\u11ab".repeat(80)],
  ["line ends of two characters", "\r\n".repeat(100)],
])("no cluster is cut apart: %s", async (_, text) => {
  const boundaries = new Set([0]);
  let at = 0;
  for (const { segment } of new Intl.Segmenter("und", { granularity: "grapheme" }).segment(text)) {
    at += [...segment].length;
    boundaries.add(at);
  }
  for (const strategy of chunkerNames) {
    for (const { start, end } of await createChunker(settingsOf(strategy, 31, 10), embedder)(text, never)) {
      expect([boundaries.has(start), boundaries.has(end)]).toEqual([true, true]);
    }
  }
});

test("a cluster longer than a chunk is cut between characters", async () => {
  const text = `a${"\u0301".repeat(1000)}`;
  for (const strategy of chunkerNames) {
    const chunks = await createChunker(settingsOf(strategy, 16, 4), embedder)(text, never);
    checkChunks(text, chunks, 16, 4);
  }
});

test.each([
  [{ strategy: "paragraph" }, "strategy", /fixed, recursive, sentence, semantic/],
  [{ chunk_size: 0 }, "chunk_size", /at least 1/],
  [{ chunk_size: 1.5 }, "chunk_size", /whole number/],
  [{ chunk_size: Number.NaN }, "chunk_size", /whole number/],
  [{ overlap: -1 }, "overlap", /from 0/],
  [{ overlap: 10 }, "overlap", /less than chunk_size \(10\)/],
  [{ overlap: 11 }, "overlap", /less than chunk_size/],
  [{ overlap: 0.5 }, "overlap", /whole number/],
])("settings %# are refused, by the key", async (fault, path, says) => {
  const settings = { ...settingsOf("recursive", 10, 2), ...fault };
  const error = await refusal(() => createChunker(settings, embedder));
  expect(error.code).toBe("invalid_manifest");
  expect(error.details.problems).toEqual([{ path, message: expect.stringMatching(says) }]);
});

test("more than a million chunks are 422, with the advice to use a larger chunk_size", async () => {
  const chunk = createChunker(settingsOf("fixed", 1, 0), embedder);
  const error = await refusal(chunk("x".repeat(1_000_001), never));
  expect(error).toMatchObject({ code: "too_many_chunks", status: 422 });
  expect(error.message).toContain("use a larger chunk_size");
  expect(await chunk("x".repeat(1_000_000), never)).toHaveLength(1_000_000);
});

test.each([...chunkerNames])("%s: an abort ends it at the next turn, with its reason", async (strategy) => {
  const stop = new AbortController();
  const work = createChunker(settingsOf(strategy, 512, 50), embedder)(prose.repeat(400), stop.signal);
  const outcome = work.catch((thrown) => thrown);
  stop.abort("enough");
  expect(await outcome).toBe("enough");
});
