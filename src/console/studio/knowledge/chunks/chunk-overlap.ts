import type { ChunkView } from "../../../../contracts/daemon/rag/rag.ts";

/** A chunk and its overlap with the previous one. */
export interface SharedChunk extends ChunkView {
  /** Number of characters at its beginning that the previous chunk contains too. */
  shared: number;
  head: string;
  rest: string;
}

/** Computes the overlaps of chunks; characters are code points, as in the daemon's positions. */
export function shareChunks(chunks: readonly ChunkView[]): SharedChunk[] {
  let endedAt = 0;
  return chunks.map((chunk, at) => {
    const characters = [...chunk.text];
    const shared = at === 0 ? 0 : Math.min(Math.max(0, endedAt - chunk.start), characters.length);
    endedAt = Math.max(endedAt, chunk.end);
    return {
      ...chunk,
      shared,
      head: characters.slice(0, shared).join(""),
      rest: characters.slice(shared).join(""),
    };
  });
}

/** Returns the text from which chunks were cut, from the first chunk on; text in none of them becomes spaces. */
export function joinChunks(chunks: readonly ChunkView[]): string {
  let text = "";
  let endedAt = chunks[0]?.start ?? 0;
  for (const { start, end, text: own } of chunks) {
    if (start > endedAt) text += " ".repeat(start - endedAt);
    text += [...own].slice(Math.max(0, endedAt - start)).join("");
    endedAt = Math.max(endedAt, end);
  }
  return text;
}

/** Splits a text into three: before the range, the range, and after it; in code points. */
export function splitAt(text: string, start: number, end: number): [string, string, string] {
  const characters = [...text];
  const join = (from: number, to?: number) => characters.slice(Math.max(0, from), to).join("");
  return [join(0, Math.max(0, start)), join(start, Math.max(0, end)), join(end)];
}
