import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { rowMarks } from "../row-marks.ts";
import { storeUnavailable } from "../store-failure.ts";
import type { StoredRow } from "../stored-row.ts";
import type { VectorHit } from "../vector-store.ts";
import { orderKey, severalKey, tokenKey } from "./chroma-where.ts";

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const metadata = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]);
const document = Type.Union([Type.String(), Type.Null()]);

/** Schemas of the parts of Chroma's answers that are used. */
export const chromaAnswers = {
  collection: Type.Object({
    id: Type.String(),
    metadata: orNull(Type.Object({ dimension: Type.Optional(Type.Number()) })),
  }),
  count: Type.Number(),
  rows: Type.Object({
    ids: Type.Array(Type.String()),
    metadatas: orNull(Type.Array(metadata)),
    documents: orNull(Type.Array(document)),
    embeddings: orNull(Type.Array(Type.Array(Type.Number()))),
  }),
  /** One list per query; we send one query. */
  hits: Type.Object({
    ids: Type.Array(Type.Array(Type.String())),
    metadatas: orNull(Type.Array(Type.Array(metadata))),
    documents: orNull(Type.Array(Type.Array(document))),
    distances: orNull(Type.Array(Type.Array(Type.Union([Type.Number(), Type.Null()])))),
  }),
};

/** Returns an answer after checking its schema. */
export function readAnswer<T extends TSchema>(schema: T, body: unknown): Static<T> {
  if (Value.Check(schema, body)) return body as Static<T>;
  throw storeUnavailable("Chroma answered in a way that isn't known; version 1.0 or newer is needed.");
}

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
