import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { storeUnavailable } from "../store-failure.ts";

const payload = Type.Object({
  id: Type.String(),
  group: Type.String(),
  text: Type.String(),
  metadata: Type.String(),
});

const hit = Type.Object({
  score: Type.Number(),
  payload,
  vector: Type.Optional(Type.Object({ meaning: Type.Optional(Type.Array(Type.Number())) })),
});

/** Schemas of the parts of Qdrant's answers that are used, each inside `result`. */
export const qdrantAnswers = {
  hits: Type.Object({ points: Type.Array(hit) }),
  count: Type.Object({ count: Type.Number() }),
  rows: Type.Object({
    points: Type.Array(Type.Object({ id: Type.Union([Type.String(), Type.Number()]), payload })),
    next_page_offset: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
  }),
  ids: Type.Object({
    points: Type.Array(
      Type.Object({ payload: Type.Object({ id: Type.String(), metadata: Type.Optional(Type.String()) }) }),
    ),
    next_page_offset: Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Null()])),
  }),
  collection: Type.Object({
    config: Type.Object({
      params: Type.Object({ vectors: Type.Object({ meaning: Type.Object({ size: Type.Number() }) }) }),
    }),
    payload_schema: Type.Record(Type.String(), Type.Unknown()),
  }),
};

export type QdrantHit = Static<typeof hit>;

/** Returns `result` of an answer after checking its schema. */
export function resultOf<T extends TSchema>(schema: T, body: unknown): Static<T> {
  const result = (body as { result?: unknown } | null)?.result;
  if (Value.Check(schema, result)) return result as Static<T>;
  throw storeUnavailable("Qdrant answered in a way that isn't known; version 1.10 or newer is needed.");
}
