import { AppError } from "../../../kit/app-error.ts";
import type { Chunk, ChunkingSettings } from "../../chunking/chunker.ts";
import { CodePointCursor, isPlain } from "../../chunking/code-point-cursor.ts";
import type { TextPlace } from "../../files/document-file.ts";
import type { RagPipeline } from "../rag-pipeline.ts";
import { type CheckedDocument, hasVisibleText } from "./document-content.ts";

/** More would exhaust the memory of this process for one document. */
const chunksMax = 500_000;

export interface Cut {
  /** Chunks with content, in order. */
  chunks: readonly Chunk[];
  /** Length of the whole text, in code points. */
  characters: number;
}

/**
 * Cuts a document. Throws AppError `invalid_request` (400) if overlap and size are incompatible, `too_many_chunks` (422) before more than
 * half a million are made.
 */
export async function cutDocument(
  { text, places = [] }: Pick<CheckedDocument, "text" | "places">,
  chunking: ChunkingSettings,
  pipeline: Pick<RagPipeline, "chunkerOf">,
  signal: AbortSignal,
): Promise<Cut> {
  requireSound(chunking);
  // For characters of two code units, this overestimates by a factor of at most two.
  if (text.length / (chunking.chunk_size - chunking.overlap) > 2 * chunksMax) throw tooMany(chunking);
  const chunker = pipeline.chunkerOf(chunking);
  const chunks: Chunk[] = [];
  for (const { stretch, start, page, section } of stretchesOf(text, places)) {
    const place = { ...(page !== undefined && { page }), ...(section !== undefined && { section }) };
    for (const chunk of await chunker(stretch, signal))
      chunks.push({ text: chunk.text, start: start + chunk.start, end: start + chunk.end, ...place });
    if (chunks.length > chunksMax) throw tooMany(chunking);
  }
  return {
    chunks: chunks.filter(({ text }) => hasVisibleText(text)),
    characters: chunks.at(-1)?.end ?? 0,
  };
}

/** Cuts the text at its places, so that each chunk has one page and section. */
function* stretchesOf(
  text: string,
  places: readonly TextPlace[],
): Generator<TextPlace & { stretch: string }> {
  const cursor = new CodePointCursor(text, isPlain(text));
  let place: TextPlace = { start: 0 };
  let from = 0;
  for (const next of [...places, undefined]) {
    const to = next === undefined ? text.length : cursor.toPoint(next.start).unit;
    if (to > from) yield { ...place, stretch: text.slice(from, to) };
    from = to;
    place = next ?? place;
  }
}

/** Throws AppError `invalid_request` unless the overlap is less than the chunk size. */
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
