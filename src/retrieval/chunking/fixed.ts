import type { Chunker, ChunkingSettings } from "./chunker.ts";
import { cutText, startAtCharacter } from "./cut-text.ts";

/** Cuts every `chunk_size` characters, regardless of the text. */
export function createFixed({ chunk_size: size, overlap }: ChunkingSettings): Chunker {
  const rules = { size, overlap, endIn: () => undefined, startIn: startAtCharacter };
  return (text, signal) => cutText(text, rules, signal);
}
