import { type Static, Type } from "@sinclair/typebox";
import { QueryRequest } from "../daemon/rag/rag.ts";

/** The parts of a question that a tenant may set. */
export const CollectionQuery = Type.Object(
  {
    query: QueryRequest.properties.query,
    top_k: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: "Maximum number of passages. Default: 5." }),
    ),
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
    description: "Status. `unavailable`: the documents can't be searched until the operator restores them.",
  }),
  created_at: Type.String({ description: "Creation time, ISO 8601 UTC." }),
});
export type TenantCollection = Static<typeof TenantCollection>;

const limit = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description });

export const TenantCollectionList = Type.Object({
  collections: Type.Array(TenantCollection, { description: "Collections sorted by name." }),
  documents: Type.Integer({ description: "Number of documents in all collections." }),
  limits: Type.Object({
    collections_max: Type.Integer({ description: "Maximum number of collections per tenant." }),
    documents_max: limit(
      "Maximum number of documents in all collections, set by the tenant's plan. Null: no limit.",
    ),
    document_bytes_max: limit(
      "Maximum size of a document in bytes, set by the tenant's plan. Null: general limit of 64 MiB.",
    ),
  }),
});
export type TenantCollectionList = Static<typeof TenantCollectionList>;
