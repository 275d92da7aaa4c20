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
  /** Of length 1, or zeros. */
  vector: Float32Array;
}

/** So that an id fits into an index of any store, whatever its characters. */
const idCharactersMax = 512;

/**
 * The rows of a batch; of two with the same id the later one. Throws AppError `dimension_mismatch`, or `invalid_request` for
 * columns that don't fit together, names out of bounds and numbers that are none.
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

/** The vector of a query, of length 1. Throws as `storedRows` does. */
export function queryVector(vector: Float32Array, dimension: number): Float32Array {
  if (vector.length !== dimension) throw dimensionMismatch(dimension, vector.length);
  return finite(vector);
}

/** Throws AppError `invalid_request` for a selection of everything: emptying a collection is `drop`'s. */
export function requireSelection(what: RowSelection): void {
  const { ids, group, writes, filter } = what;
  if ([ids, group, writes, filter].every((part) => part === undefined))
    throw refused("Name the rows to remove: ids, a group, writes or a filter.");
}

/** Whether nothing can match: a list that names none. */
export const selectsNothing = ({ ids, writes }: RowSelection): boolean =>
  ids?.length === 0 || writes?.length === 0;

function finite(vector: Float32Array): Float32Array {
  const unit = unitVector(vector);
  if (unit === undefined) throw refused("A vector holds something that is no finite number.");
  return unit;
}

/** Throws AppError `invalid_request` unless rows may be called that. */
export function checkName(name: string): void {
  if (name !== "" && name.length <= idCharactersMax && name.isWellFormed()) return;
  throw refused(
    `The id of a row, its group and its write are texts of 1 to ${idCharactersMax} characters each.`,
  );
}

/** What a caller got wrong about rows. */
export const refused = (message: string) => new AppError("invalid", "invalid_request", message);
