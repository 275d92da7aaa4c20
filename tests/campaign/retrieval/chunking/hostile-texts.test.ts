import { describe, expect, test } from "bun:test";
import { createChunker } from "../../../../src/retrieval/chunking/create-chunker.ts";
import type { Embedder } from "../../../../src/retrieval/embedding/embedder.ts";
import { processorMsOf } from "../../../support/processor-time.ts";

const never = new AbortController().signal;

/** An embedder for which all texts have the same topic. */
const embedder: Embedder = {
  id: "alike",
  isLexical: true,
  defaultThreshold: 0,
  dimension: async () => 1,
  embed: async (texts) => new Float32Array(texts.length).fill(1),
};

const recipes: [string, (times: number) => string][] = [
  ["one line", (times) => "x".repeat(times)],
  ["one line of words", (times) => "word ".repeat(times)],
  ["newlines", (times) => "\n".repeat(times)],
  ["newlines of two characters", (times) => "\r\n".repeat(times)],
  ["blank lines with blanks", (times) => "\n   \t".repeat(times)],
  ["spaces", (times) => " ".repeat(times)],
  ["full stops", (times) => ".".repeat(times)],
  ["full stops and spaces", (times) => ". ".repeat(times)],
  ["brackets after a full stop", (times) => `.${")".repeat(times)}`],
  ["headings that are none", (times) => "\n#######".repeat(times)],
  ["combining marks", (times) => "\u0301".repeat(times)],
  ["joined emoji", (times) => "👩‍👩‍👧".repeat(times)],
  ["halves of flags", (times) => "🇪".repeat(times)],
  ["halves of pairs", (times) => "\ud83d".repeat(times)],
  ["list items", (times) => "\n- ".repeat(times)],
  ["abbreviations", (times) => "Dr. ".repeat(times)],
];

const shapes: [number, number][] = [
  [512, 50],
  [5_000, 4_500],
];

/** The collector and the compiler use CPU time as well, but not in every attempt. */
const goesMax = 12;

const settings = { similarity_threshold: 0 };

describe.each(["fixed", "recursive", "sentence", "semantic"])("%s", (strategy) => {
  test.each(recipes)("time grows with the length: %s", async (_, recipe) => {
    for (const [chunk_size, overlap] of shapes) {
      const chunk = createChunker({ ...settings, strategy, chunk_size, overlap }, embedder);
      const [small, large] = [recipe(20_000), recipe(160_000)];
      const times: Record<"small" | "large", number[]> = { small: [], large: [] };
      for (let go = 0; go < 6; go++) times.small.push(await processorMsOf(() => chunk(small, never)));
      const growth = () =>
        Math.max(Math.min(...times.large), 3) /
        Math.max(Math.min(...times.small), 3) /
        (large.length / small.length);
      // About 1 if linear, about 8 if quadratic: an attempt can only be too slow, never too fast, so one that is linear decides.
      do times.large.push(await processorMsOf(() => chunk(large, never)));
      while (growth() >= 4 && times.large.length < goesMax);
      expect(growth()).toBeLessThan(4);
    }
  });
});

test("the event loop keeps turning while a large document is cut", async () => {
  const text = "A line of a document that is long. ".repeat(150_000);
  for (const strategy of ["fixed", "recursive", "sentence", "semantic"]) {
    let turns = 0;
    let handle = setImmediate(function next() {
      turns++;
      handle = setImmediate(next);
    });
    await createChunker({ ...settings, strategy, chunk_size: 512, overlap: 50 }, embedder)(text, never);
    clearImmediate(handle);
    expect(turns).toBeGreaterThan(20);
  }
});
