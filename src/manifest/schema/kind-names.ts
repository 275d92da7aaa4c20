/** Kinds of files, as named by `argosy schema <kind>` and the pages of the reference. */
export const manifestKindNames = [
  "agent",
  "rag-pipeline",
  "providers",
  "prices",
  "runtime",
  "channels",
  "connections",
  "platform",
  "rag-eval",
  "eval",
] as const;

export type ManifestKindName = (typeof manifestKindNames)[number];
