import type { StoredRow } from "../stored-row.ts";

const rowsMax = 500;
const bytesMax = 2 * 1024 * 1024;

/** Splits rows into requests of at most about 2 MiB, which are serialized in a few milliseconds; a larger row is sent alone. */
export function* rowChunks(rows: readonly StoredRow[]): Generator<StoredRow[]> {
  let chunk: StoredRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    // A number takes about 20 characters as text.
    const size = 20 * row.vector.length + 3 * row.text.length + 256;
    if (chunk.length > 0 && (chunk.length >= rowsMax || bytes + size > bytesMax)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(row);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}
