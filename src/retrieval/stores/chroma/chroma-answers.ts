import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { storeUnavailable } from "../store-failure.ts";

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
