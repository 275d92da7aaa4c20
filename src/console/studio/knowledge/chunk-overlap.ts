import type { ChunkView } from "../../../contracts/daemon/rag.ts";

/** A chunk, and what it shares with the one before it. */
export interface SharedChunk extends ChunkView {
  /** The characters at its beginning that stand before the end of the one before. */
  shared: number;
  head: string;
  rest: string;
}

/** Where chunks overlap; characters are code points, as positions of the daemon are. */
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

/** The text that chunks were cut from, from the first one's beginning; what none of them has is a space. */
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

/** A text in three: before the place, the place, and after it; in code points. */
export function splitAt(text: string, start: number, end: number): [string, string, string] {
  const characters = [...text];
  const join = (from: number, to?: number) => characters.slice(Math.max(0, from), to).join("");
  return [join(0, Math.max(0, start)), join(start, Math.max(0, end)), join(end)];
}
