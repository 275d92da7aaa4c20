/** A piece of a document. Characters are Unicode code points, here as everywhere in retrieval. */
export interface Chunk {
  /** Exactly what the document has between `start` and `end`. */
  text: string;
  /** Offset of its first character. */
  start: number;
  /** Offset after its last character. */
  end: number;
}

export interface ChunkingSettings {
  strategy: string;
  /** Longest chunk, in characters; at least 1. */
  chunk_size: number;
  /** Characters that neighbours may share; less than `chunk_size`. */
  overlap: number;
  separators?: readonly string[] | undefined;
  /** `semantic`: neighbours below this similarity are cut apart. */
  similarity_threshold: number;
}

/**
 * Cuts a document: every character of it is in at least one chunk, chunks come in order, none is longer than `chunk_size`, none is
 * cut inside a character, and neighbours share at most `overlap`. Linear in the length of the text.
 */
export type Chunker = (text: string, signal: AbortSignal) => Promise<readonly Chunk[]>;
