import { createHash } from "node:crypto";
import { searchedText } from "../row-id.ts";
import { rowMarks } from "../row-marks.ts";
import type { StoredRow } from "../stored-row.ts";
import { textWords } from "../words/search-words.ts";

/** Payload of a point; `metadata` is JSON, so that it is returned unchanged. */
export interface QdrantPayload {
  id: string;
  group: string;
  write: string;
  text: string;
  metadata: string;
  tokens: string[];
  orders: Record<string, number[]>;
}

/** Vectors of a point: of its meaning, and of its words. */
export interface QdrantVectors {
  meaning: number[];
  words?: SparseVector;
}

export interface SparseVector {
  indices: number[];
  values: number[];
}

export interface QdrantPoint {
  id: string;
  vector: QdrantVectors;
  payload: QdrantPayload;
}

export function pointOf({ id, group, write, text, metadata, vector }: StoredRow): QdrantPoint {
  const words = storedWords(searchedText({ id, text }));
  const { tokens, orders } = rowMarks(metadata);
  return {
    id: pointId(id),
    vector: { meaning: [...vector], ...(words.indices.length > 0 && { words }) },
    payload: {
      id,
      group,
      write,
      text,
      metadata: JSON.stringify(metadata),
      tokens,
      orders: Object.fromEntries(orders),
    },
  };
}

/** UUID for an id, because Qdrant requires UUIDs; equal ids give equal UUIDs. */
export function pointId(id: string): string {
  const hash = createHash("sha256").update(id).digest("hex");
  const variant = "89ab"[Number.parseInt(hash[16] ?? "0", 16) % 4];
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

const saturation = 1.2;
const lengthWeight = 0.75;
/** Assumed mean length of texts; the real mean is unknown when a row is written. */
const meanWords = 100;

/** Okapi BM25 without the rarity of words, which Qdrant adds itself. */
function storedWords(text: string): SparseVector {
  const counts = textWords(text);
  const length = counts.values().reduce((sum, count) => sum + count, 0);
  const spread = saturation * (1 - lengthWeight + (lengthWeight * length) / meanWords);
  return sparse(counts, (count) => (count * (saturation + 1)) / (count + spread));
}

/** Words of a question, each with weight 1. */
export const askedWords = (words: ReadonlySet<string>): SparseVector =>
  sparse(
    words.values().map((word) => [word, 1]),
    () => 1,
  );

function sparse(counts: Iterable<readonly [string, number]>, weigh: (count: number) => number): SparseVector {
  const weights = new Map<number, number>();
  for (const [word, count] of counts) {
    const index = wordNumber(word);
    weights.set(index, (weights.get(index) ?? 0) + weigh(count));
  }
  return { indices: [...weights.keys()], values: [...weights.values()] };
}

const wordNumber = (word: string) => createHash("sha256").update(word).digest().readUInt32BE(0);
