/** The kinds of files, as `argosy schema <kind>` and the pages of the reference are named. */
export const manifestKindNames = [
  "agent",
  "rag-pipeline",
  "providers",
  "prices",
  "runtime",
  "channels",
  "connections",
  "rag-eval",
] as const;

export type ManifestKindName = (typeof manifestKindNames)[number];
