import { metadataLeaves, type Scalar } from "../filters/vector-filter.ts";
import { searchedText } from "../row-id.ts";
import type { StoredRow } from "../stored-row.ts";
import { type Stems, textWords } from "../words/search-words.ts";
import { toPostgresText } from "./postgres-text.ts";
import { leafValue } from "./row-conditions.ts";

/** One row for the insert statement; `leaves`, `words` and `embedding` are cast from text. */
export interface RowValues {
  id: string;
  group_id: string;
  write_id: string;
  text: string;
  metadata: string;
  leaves: Record<string, Scalar[]>;
  words: string;
  embedding: string;
}

export function rowValues({ id, group, write, text, metadata, vector }: StoredRow, stems: Stems): RowValues {
  return {
    id: toPostgresText(id),
    group_id: toPostgresText(group),
    write_id: toPostgresText(write),
    text: toPostgresText(text),
    metadata: JSON.stringify(metadata),
    leaves: leavesOf(metadata),
    words: wordVector(searchedText({ id, text }), stems),
    embedding: vectorText(vector),
  };
}

/** A vector in the extension's text format. */
export const vectorText = (vector: Float32Array): string => `[${vector.join(",")}]`;

/** A word in the syntax of tsvector and tsquery. */
export const quotedWord = (word: string): string =>
  `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;

function leavesOf(metadata: Readonly<Record<string, unknown>>): Record<string, Scalar[]> {
  // Without a prototype, `__proto__` is an ordinary key.
  const leaves: Record<string, Scalar[]> = Object.create(null);
  for (const [name, values] of metadataLeaves(metadata)) leaves[toPostgresText(name)] = values.map(leafValue);
  return leaves;
}

/** PostgreSQL refuses more than 1 MiB of words for a row. */
const wordBytesMax = 512 * 1024;

/** A repeated word has several positions, up to the number that still affects its rank. */
const positionsMax = 16;

/** The words of a text in the syntax of tsvector. */
export function wordVector(text: string, stems: Stems): string {
  const parts: string[] = [];
  let bytes = 0;
  for (const [word, count] of textWords(text, stems)) {
    const positions = Array.from({ length: Math.min(count, positionsMax) }, (_, at) => at + 1);
    bytes += Buffer.byteLength(word) + 4 * positions.length;
    if (bytes > wordBytesMax) break;
    parts.push(`${quotedWord(word)}:${positions.join(",")}`);
  }
  return parts.join(" ");
}
