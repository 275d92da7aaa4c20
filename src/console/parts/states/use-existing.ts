import { useState } from "react";
import { refusalOf } from "../../../contracts/refusal.ts";

interface ReadQuery {
  data: unknown;
  /** In ms since 1970. */
  dataUpdatedAt: number;
  error: unknown;
}

/**
 * Returns the query of the one thing that a page shows, without data that an earlier visit left in the cache if the server now answers that
 * the thing doesn't exist. Data that was read since the page opened stays: a form may hold changes to it.
 */
export function useExisting<Query extends ReadQuery>(query: Query): Query {
  const [openedAt] = useState(() => Date.now());
  const isGone = query.dataUpdatedAt < openedAt && refusalOf(query.error)?.status === 404;
  return isGone ? { ...query, data: undefined } : query;
}
