import { type Static, Type } from "@sinclair/typebox";
import { QueryRequest } from "../daemon/rag/rag.ts";

/** The parts of a question that a tenant may set. */
export const CollectionQuery = Type.Object(
  {
    query: QueryRequest.properties.query,
    top_k: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "Passages at most (5)." })),
    score_threshold: QueryRequest.properties.score_threshold,
    mode: QueryRequest.properties.mode,
    filters: QueryRequest.properties.filters,
  },
  { additionalProperties: false },
);
export type CollectionQuery = Static<typeof CollectionQuery>;

/** A tenant's collection of documents. */
export const TenantCollection = Type.Object({
  name: Type.String(),
  documents: Type.Integer(),
  chunks: Type.Integer(),
  status: Type.Union([Type.Literal("ready"), Type.Literal("unavailable")], {
    description: "`unavailable`: its documents can't be searched until the operator has restored them.",
  }),
  created_at: Type.String({ description: "ISO 8601 UTC." }),
});
export type TenantCollection = Static<typeof TenantCollection>;

const limit = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const TenantCollectionList = Type.Object({
  collections: Type.Array(TenantCollection, { description: "By name." }),
  documents: Type.Integer({ description: "Documents of all collections." }),
  limits: Type.Object({
    collections_max: Type.Integer({ description: "Collections of a tenant." }),
    documents_max: limit("Documents over all collections, by the tenant's plan. Null: no limit."),
    document_bytes_max: limit(
      "Bytes of one document, by the tenant's plan. Null: at most 64 MiB, as for everybody.",
    ),
  }),
});
export type TenantCollectionList = Static<typeof TenantCollectionList>;
