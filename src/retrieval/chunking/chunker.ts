/** A piece of a document. In all of retrieval, a character is a Unicode code point. */
export interface Chunk {
  /** The exact text of the document between `start` and `end`. */
  text: string;
  /** Offset of its first character. */
  start: number;
  /** Offset after its last character. */
  end: number;
  /** Page and section of the document, where they are known. */
  page?: number;
  section?: string;
}

export interface ChunkingSettings {
  strategy: string;
  /** Maximum length of a chunk, in characters; at least 1. */
  chunk_size: number;
  /** Maximum characters that neighbouring chunks share; less than `chunk_size`. */
  overlap: number;
  separators?: readonly string[] | undefined;
  /** `semantic`: neighbouring sentences below this similarity are separated. */
  similarity_threshold: number;
}

/**
 * Cuts a document into chunks. Every character is in at least one chunk, chunks are in order, none is longer than `chunk_size` or cut
 * inside a character, and neighbours share at most `overlap` characters. Linear in the length of the text.
 */
export type Chunker = (text: string, signal: AbortSignal) => Promise<readonly Chunk[]>;
