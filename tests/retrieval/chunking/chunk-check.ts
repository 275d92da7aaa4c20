import { expect } from "bun:test";
import type { Chunk } from "../../../src/retrieval/chunking/chunker.ts";

/** Checks the properties of every chunker's output: complete, in order, within the size, and with at most the given overlap. */
export function checkChunks(text: string, chunks: readonly Chunk[], size: number, overlap: number): void {
  const characters = [...text];
  let covered = 0;
  let lastStart = -1;
  for (const { text: piece, start, end } of chunks) {
    expect(piece).toBe(characters.slice(start, end).join(""));
    expect(end - start).toBeLessThanOrEqual(size);
    expect(start).toBeGreaterThan(lastStart);
    expect(start).toBeLessThanOrEqual(covered);
    expect(covered - start).toBeLessThanOrEqual(overlap);
    expect(end).toBeGreaterThan(covered);
    lastStart = start;
    covered = end;
  }
  expect(covered).toBe(characters.length);
}

/** Rebuilds the document from its chunks alone. */
export function rejoined(chunks: readonly Chunk[]): string {
  let covered = 0;
  let text = "";
  for (const chunk of chunks) {
    text += [...chunk.text].slice(covered - chunk.start).join("");
    covered = chunk.end;
  }
  return text;
}
