import type { ReachedDaemon } from "../../command/parts.ts";
import { usageError } from "../terminal/report-error.ts";

export type Client = ReachedDaemon["client"];

/** The target of a query or an ingest: a collection itself, or a pipeline's collection with that pipeline's settings. */
export interface CollectionTarget {
  collection?: string;
  pipeline?: string;
}

/** Refuses a call that names neither. */
export function requireTarget({ collection, pipeline }: CollectionTarget): void {
  if (collection === undefined && pipeline === undefined) {
    throw usageError("Give --pipeline <name> or --collection <name>.");
  }
}

/** Returns the collection of a target. Throws the errors of the pipeline's lookup. */
export async function collectionOf(
  client: Client,
  { collection, pipeline }: CollectionTarget,
): Promise<string> {
  if (collection !== undefined) return collection;
  return (await client.getPipeline(pipeline ?? "")).collection;
}
