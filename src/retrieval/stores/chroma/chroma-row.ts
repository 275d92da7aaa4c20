import { rowMarks } from "../row-marks.ts";
import type { StoredRow } from "../stored-row.ts";
import type { VectorHit } from "../vector-store.ts";
import { orderKey, severalKey, tokenKey } from "./chroma-where.ts";

/** A row's metadata in Chroma, which stores one flat value per key. The row's own metadata is JSON in `metadata`. */
export type ChromaMetadata = Record<string, string | number>;

export function chromaMetadata({ group, write, metadata }: StoredRow): ChromaMetadata {
  const { tokens, orders } = rowMarks(metadata);
  const flat: ChromaMetadata = { group, write, metadata: JSON.stringify(metadata) };
  for (const token of tokens) flat[tokenKey(token)] = 1;
  for (const [order, numbers] of orders) {
    const [first, ...others] = numbers;
    if (others.length > 0 || first === undefined) flat[severalKey(order)] = 1;
    else flat[orderKey(order)] = first;
  }
  return flat;
}

/** The row with this Chroma metadata and document. */
export function rowOf(
  id: string,
  metadata: Readonly<Record<string, unknown>> | null | undefined,
  document: string | null | undefined,
): Omit<VectorHit, "score"> {
  const { group, metadata: json } = metadata ?? {};
  return { id, group: String(group ?? ""), text: document ?? "", metadata: JSON.parse(String(json ?? "{}")) };
}
