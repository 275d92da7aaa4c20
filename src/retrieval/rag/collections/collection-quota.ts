import { AppError } from "../../../kit/app-error.ts";

/** How much a tenant may keep, over all its collections. Null: no limit; 0: nothing. */
export interface CollectionQuota {
  collectionsMax: number | null;
  documentsMax: number | null;
}

/** 409 for one more collection than the tenant may have. */
export function collectionLimitReached(collectionsMax: number): AppError {
  return new AppError(
    "conflict",
    "collection_limit_reached",
    `The tenant may have ${collectionsMax} collections.`,
    {
      details: {
        hint: "Delete a collection, or put the document into another one.",
        facts: { collections_max: collectionsMax },
      },
    },
  );
}

/** 409 for one more document than the tenant may have. */
export function documentLimitReached(documentsMax: number): AppError {
  return new AppError(
    "conflict",
    "document_limit_reached",
    `The tenant may have ${documentsMax} documents over all its collections.`,
    {
      details: {
        hint: "Delete documents, or ask the operator for a plan with a higher documents_max.",
        facts: { documents_max: documentsMax },
      },
    },
  );
}
