import { decodeCursor, encodeCursor } from "../../../../http/page-cursor.ts";
import { readInstant } from "../../../../http/read-instant.ts";
import type { EpisodeFilter, EpisodePlace } from "./store.ts";

/** Filter parameters of a query, as in the URL. */
export interface EpisodeQuery {
  id?: string | undefined;
  session_id?: string | undefined;
  user?: string | undefined;
  type?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  min_importance?: string | undefined;
}

/** Throws AppError `invalid_request` for invalid timestamps. */
export function readFilter(query: EpisodeQuery): EpisodeFilter {
  const { id, session_id, user, type, since, until, min_importance } = query;
  return {
    ...(id !== undefined && { id }),
    ...(session_id !== undefined && { sessionId: session_id }),
    ...(user !== undefined && { users: [user] }),
    ...(type !== undefined && { type }),
    ...(since !== undefined && { since: readInstant("since", since) }),
    ...(until !== undefined && { until: readInstant("until", until) }),
    ...(min_importance !== undefined && { importanceMin: Number(min_importance) }),
  };
}

/** Throws AppError `invalid_request` for a cursor that `writePlace` did not create. */
export function readPlace(cursor: string | undefined): EpisodePlace | undefined {
  if (cursor === undefined) return undefined;
  const [at, id] = decodeCursor(cursor);
  return { at: readInstant("cursor", String(at)), id: String(id) };
}

export function writePlace({ at, id }: EpisodePlace): string {
  return encodeCursor([at.toISOString(), id]);
}
