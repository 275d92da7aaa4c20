import { dimensionMismatch } from "../../store-failure.ts";
import { checkName, refused } from "../../stored-row.ts";
import type { VectorBatch } from "../../vector-store.ts";
import { rowFacts } from "../facts/row-facts.ts";
import { withUsualLengths } from "./usual-lengths.ts";

/** Rows of the table as columns of equal length. */
export interface RowColumns {
  ids: readonly string[];
  groups: readonly string[];
  writes: readonly string[];
  texts: readonly string[];
  /** JSON. */
  metadata: readonly string[];
  /** Text that filters test. */
  facts: readonly string[];
  vectors: Float32Array;
}

/**
 * A batch as columns of the table; if ids repeat, the last row is kept. Throws AppError `dimension_mismatch`, or `invalid_request` for
 * columns of different lengths, invalid names or numbers that are not finite.
 */
export function rowColumns(batch: VectorBatch, dimension: number): RowColumns {
  const { ids, groups, texts, metadata, write, vectors } = batch;
  if ([groups, texts, metadata].some((column) => column.length !== ids.length))
    throw refused("The columns of a batch have different lengths.");
  if (vectors.length !== ids.length * dimension)
    throw dimensionMismatch(dimension, ids.length === 0 ? vectors.length : vectors.length / ids.length);
  for (const names of [ids, groups, [write]]) for (const name of names) checkName(name);
  return lastOfEach(
    {
      ids,
      groups,
      writes: new Array<string>(ids.length).fill(write),
      // UTF-8 has no lone surrogates; ids with them are refused.
      texts: texts.every((text) => text.isWellFormed()) ? texts : texts.map((text) => text.toWellFormed()),
      metadata: metadata.map((value) => JSON.stringify(value)),
      facts: rowFacts(metadata),
      vectors: withUsualLengths(vectors, dimension),
    },
    dimension,
  );
}

/** The rows of all parts, in order; if ids repeat, the last row is kept. */
export function joinedRows(parts: readonly RowColumns[], dimension: number): RowColumns {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return first;
  const vectors = new Float32Array(parts.reduce((sum, part) => sum + part.vectors.length, 0));
  let at = 0;
  for (const part of parts) {
    vectors.set(part.vectors, at);
    at += part.vectors.length;
  }
  const joined: RowColumns = {
    ids: parts.flatMap(({ ids }) => ids),
    groups: parts.flatMap(({ groups }) => groups),
    writes: parts.flatMap(({ writes }) => writes),
    texts: parts.flatMap(({ texts }) => texts),
    metadata: parts.flatMap(({ metadata }) => metadata),
    facts: parts.flatMap(({ facts }) => facts),
    vectors,
  };
  return lastOfEach(joined, dimension);
}

function lastOfEach(rows: RowColumns, dimension: number): RowColumns {
  if (new Set(rows.ids).size === rows.ids.length) return rows;
  const kept = [...new Map(rows.ids.map((id, at) => [id, at])).values()];
  const pick = (column: readonly string[]) => kept.map((at) => column[at] ?? "");
  const vectors = new Float32Array(kept.length * dimension);
  for (const [to, from] of kept.entries())
    vectors.set(rows.vectors.subarray(from * dimension, (from + 1) * dimension), to * dimension);
  return {
    ids: pick(rows.ids),
    groups: pick(rows.groups),
    writes: pick(rows.writes),
    texts: pick(rows.texts),
    metadata: pick(rows.metadata),
    facts: pick(rows.facts),
    vectors,
  };
}
