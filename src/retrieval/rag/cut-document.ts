import { AppError } from "../../kit/app-error.ts";
import type { Chunk, ChunkingSettings } from "../chunking/chunker.ts";
import type { RagPipeline } from "./rag-pipeline.ts";
import { saysSomething } from "./says-something.ts";

/** More would fill the memory of this process for one document. */
const chunksMax = 500_000;

export interface Cut {
  /** Those that say something, in order. */
  chunks: readonly Chunk[];
  /** Length of the whole, in code points. */
  characters: number;
}

/**
 * Cuts a document. Throws AppError `invalid_request` (400) when overlap and size don't go
 * together, `too_many_chunks` (422) before it would make more than half a million.
 */
export async function cutDocument(
  text: string,
  chunking: ChunkingSettings,
  pipeline: Pick<RagPipeline, "chunkerOf">,
  signal: AbortSignal,
): Promise<Cut> {
  requireSound(chunking);
  // Characters of two code units make this an overestimate by two at most.
  if (text.length / (chunking.chunk_size - chunking.overlap) > 2 * chunksMax) throw tooMany(chunking);
  const chunks = await pipeline.chunkerOf(chunking)(text, signal);
  if (chunks.length > chunksMax) throw tooMany(chunking);
  return {
    chunks: chunks.filter(({ text }) => saysSomething(text)),
    characters: chunks.at(-1)?.end ?? 0,
  };
}

/** Throws AppError `invalid_request` unless neighbours leave something new to each chunk. */
export function requireSound({ chunk_size: size, overlap }: ChunkingSettings): void {
  if (overlap < size) return;
  const message = `chunk_overlap (${overlap}) must be less than chunk_size (${size}).`;
  throw new AppError("invalid", "invalid_request", message, {
    details: { problems: [{ path: "chunk_overlap", message: `must be less than chunk_size (${size})` }] },
  });
}

function tooMany({ chunk_size: size, overlap }: ChunkingSettings): AppError {
  return new AppError(
    "unprocessable",
    "too_many_chunks",
    `The document would have more than ${chunksMax} chunks with chunk_size ${size} and chunk_overlap ${overlap}.`,
    { details: { hint: "Take larger chunks, a smaller overlap, or several documents." } },
  );
}
