import { AppError } from "../../kit/app-error.ts";
import { dimensionMismatch } from "./store-failure.ts";
import { unitVector } from "./unit-vector.ts";
import type { RowSelection, VectorBatch } from "./vector-store.ts";

/** One row of a batch. */
export interface StoredRow {
  id: string;
  group: string;
  write: string;
  text: string;
  metadata: Readonly<Record<string, unknown>>;
  /** Has length 1, or is all zeros. */
  vector: Float32Array;
}

/** Limit that lets an id fit into an index of any store, whatever its characters. */
const idCharactersMax = 512;

/**
 * The rows of a batch; if ids repeat, the last row is kept. Throws AppError `dimension_mismatch`, or `invalid_request` for columns of
 * different lengths, invalid names or numbers that are not finite.
 */
export function storedRows(batch: VectorBatch, dimension: number): StoredRow[] {
  const { ids, groups, texts, metadata, vectors, write } = batch;
  if ([groups, texts, metadata].some((column) => column.length !== ids.length))
    throw refused("The columns of a batch have different lengths.");
  if (vectors.length !== ids.length * dimension)
    throw dimensionMismatch(dimension, ids.length === 0 ? vectors.length : vectors.length / ids.length);
  const rows = new Map<string, StoredRow>();
  for (const [at, id] of ids.entries()) {
    const group = groups[at] ?? "";
    for (const name of [id, group, write]) checkName(name);
    const text = (texts[at] ?? "").toWellFormed();
    const vector = finite(vectors.subarray(at * dimension, (at + 1) * dimension));
    rows.set(id, { id, group, write, text, metadata: metadata[at] ?? {}, vector });
  }
  return [...rows.values()];
}

/** The vector of a query, scaled to length 1. Throws as `storedRows`. */
export function queryVector(vector: Float32Array, dimension: number): Float32Array {
  if (vector.length !== dimension) throw dimensionMismatch(dimension, vector.length);
  return finite(vector);
}

/** Throws AppError `invalid_request` for a selection of all rows; `drop` empties a collection. */
export function requireSelection(what: RowSelection): void {
  const { ids, group, writes, filter } = what;
  if ([ids, group, writes, filter].every((part) => part === undefined))
    throw refused("Name the rows to remove: ids, a group, writes or a filter.");
}

/** Returns true if nothing can match because a list is empty. */
export const selectsNothing = ({ ids, writes }: RowSelection): boolean =>
  ids?.length === 0 || writes?.length === 0;

function finite(vector: Float32Array): Float32Array {
  const unit = unitVector(vector);
  if (unit === undefined) throw refused("A vector holds something that is not a finite number.");
  return unit;
}

/** Throws AppError `invalid_request` unless the name is valid for rows. */
export function checkName(name: string): void {
  if (name !== "" && name.length <= idCharactersMax && name.isWellFormed()) return;
  throw refused(
    `The id of a row, its group and its write are texts of 1 to ${idCharactersMax} characters each.`,
  );
}

/** Error for invalid rows of a caller. */
export const refused = (message: string) => new AppError("invalid", "invalid_request", message);
