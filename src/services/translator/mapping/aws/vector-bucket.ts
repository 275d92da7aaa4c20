/** The bucket of S3 Vectors that indexes are made in. It belongs to the account's owner, who creates it once. */
export const vectorBucket = "argosy-vectors";
