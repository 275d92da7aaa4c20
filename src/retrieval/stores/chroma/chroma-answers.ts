import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { storeUnavailable } from "../store-failure.ts";

const orNull = <T extends TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]));
const metadata = Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()]);
const document = Type.Union([Type.String(), Type.Null()]);

/** What is read of Chroma's answers. */
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
  /** A list for each query, of which there is one. */
  hits: Type.Object({
    ids: Type.Array(Type.Array(Type.String())),
    metadatas: orNull(Type.Array(Type.Array(metadata))),
    documents: orNull(Type.Array(Type.Array(document))),
    distances: orNull(Type.Array(Type.Array(Type.Union([Type.Number(), Type.Null()])))),
  }),
};

/** An answer in the shape that it has to have. */
export function readAnswer<T extends TSchema>(schema: T, body: unknown): Static<T> {
  if (Value.Check(schema, body)) return body as Static<T>;
  throw storeUnavailable("Chroma answered in a way that isn't known; version 1.0 or newer is needed.");
}
