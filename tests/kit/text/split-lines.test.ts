import { expect, test } from "bun:test";
import fc from "fast-check";
import { LineTooLong, splitLines } from "../../../src/kit/text/split-lines.ts";

async function* chunks(pieces: Iterable<Uint8Array>) {
  yield* pieces;
}

async function linesOf(pieces: Iterable<Uint8Array>, bytesMax = 1000): Promise<string[]> {
  return await Array.fromAsync(splitLines(chunks(pieces), bytesMax));
}

test("however a text is cut, its lines are the same", async () => {
  const text = fc.array(
    fc.string({ unit: "grapheme", maxLength: 20 }).filter((line) => !line.includes("\n")),
  );
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat(50)), async (lines, cuts) => {
      const bytes = new TextEncoder().encode(lines.map((line) => `${line}\n`).join(""));
      const places = [...new Set([0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length])].sort(
        (a, b) => a - b,
      );
      const pieces = places.map((place, at) => bytes.subarray(place, places[at + 1] ?? place));
      expect(await linesOf(pieces)).toEqual(lines.map((line) => line.toWellFormed()));
    }),
  );
});

test("text after the last line feed is not a line", async () => {
  expect(await linesOf([Buffer.from("one\ntwo\nthr")])).toEqual(["one", "two"]);
});

test.each([
  ["in one piece", [Buffer.alloc(1001, "x")]],
  ["in small pieces", Array.from({ length: 1001 }, () => Buffer.from("x"))],
  ["with an end", [Buffer.from(`${"x".repeat(1001)}\n`)]],
])("a line that is too long %s is refused", async (_, pieces) => {
  await expect(linesOf(pieces)).rejects.toBeInstanceOf(LineTooLong);
});

test("a line of just the length is one", async () => {
  expect(await linesOf([Buffer.from(`${"x".repeat(1000)}\n`)])).toEqual(["x".repeat(1000)]);
});

test("a line in a million pieces takes no more memory than it has bytes", async () => {
  const piece = Buffer.from("x");
  function* endless() {
    for (let at = 0; at < 1_000_000; at++) yield piece;
  }
  const before = process.memoryUsage().rss;
  await linesOf(endless(), 2_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
});
