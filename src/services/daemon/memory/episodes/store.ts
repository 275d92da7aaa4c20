import { and, asc, desc, eq, gt, gte, inArray, lt, lte, or, type SQL, sql } from "drizzle-orm";
import type { Episode, MemoryOwner } from "../../../../engine/memory/long-term-memory.ts";
import { statement } from "../../../../storage/statement.ts";
import type { Query, Storage } from "../../../../storage/storage.ts";
import { storableJson, storableText } from "../../../../storage/tables/column-values.ts";
import type { EpisodeTables } from "./schema.ts";

/** A stored episode; `sessionId` and `user` are empty if it belongs to none. */
export interface StoredEpisode extends Omit<Episode, "timestamp"> {
  id: string;
  sessionId: string;
  user: string;
  at: Date;
}

/** All given conditions must match; of `users`, at least one. */
export interface EpisodeFilter {
  id?: string;
  sessionId?: string;
  users?: readonly string[];
  type?: string;
  since?: Date;
  until?: Date;
  importanceMin?: number;
}

/** Position at which a page of episodes ended. */
export interface EpisodePosition {
  at: Date;
  id: string;
}

type Episodes = Storage<EpisodeTables>;

/** Inserts an episode, unless its id is already stored. */
export async function insertEpisode(
  { transact, tables }: Episodes,
  { tenant, agent }: MemoryOwner,
  episode: StoredEpisode,
): Promise<void> {
  await transact((tx) =>
    insertOne(tx, tables).execute({
      tenant,
      agent,
      id: episode.id,
      sessionId: episode.sessionId,
      user: episode.user,
      eventType: storableText(episode.event_type),
      summary: storableText(episode.summary),
      context: storableJson(episode.context),
      outcome: storableText(episode.outcome),
      at: episode.at,
      importance: episode.importance,
    }),
  );
}

const insertOne = statement((tx: Query, { episodes }: EpisodeTables) =>
  tx
    .insert(episodes)
    .values({
      tenant: sql.placeholder("tenant"),
      agent: sql.placeholder("agent"),
      id: sql.placeholder("id"),
      sessionId: sql.placeholder("sessionId"),
      user: sql.placeholder("user"),
      eventType: sql.placeholder("eventType"),
      summary: sql.placeholder("summary"),
      context: sql.placeholder("context"),
      outcome: sql.placeholder("outcome"),
      at: sql.placeholder("at"),
      importance: sql.placeholder("importance"),
    })
    .onConflictDoNothing()
    .prepare("insert_episode"),
);

/** Matching episodes, newest first; with `before`, only those after that position. */
export async function listEpisodes(
  { read, tables: { episodes } }: Episodes,
  owner: MemoryOwner,
  filter: EpisodeFilter,
  { before, limit }: { before?: EpisodePosition; limit: number },
): Promise<StoredEpisode[]> {
  const rows = await read
    .select()
    .from(episodes)
    .where(
      and(
        matches(episodes, owner, filter),
        before && or(lt(episodes.at, before.at), and(eq(episodes.at, before.at), lt(episodes.id, before.id))),
      ),
    )
    .orderBy(desc(episodes.at), desc(episodes.id))
    .limit(limit);
  return rows.map(stored);
}

/** What ranks an episode. */
export type EpisodeRank = Pick<StoredEpisode, "id" | "at" | "importance">;

/**
 * Newest and most important episodes of one user up to `now`, and the next ones after it, up to `limit` of each; all are read from indexes
 * alone.
 */
export async function candidateEpisodes(
  { read, tables: { episodes } }: Episodes,
  owner: MemoryOwner,
  user: string,
  { now, limit }: { now: Date; limit: number },
): Promise<EpisodeRank[]> {
  const { id, at, importance } = episodes;
  // One user in each statement: with a list of users, no index has the order.
  const ranks = (when: SQL) =>
    read
      .select({ id, at, importance })
      .from(episodes)
      .where(and(matches(episodes, owner, {}), eq(episodes.user, user), when));
  const neighbours = await Promise.all([
    ranks(lte(at, now)).orderBy(desc(at), desc(id)).limit(limit),
    // Written so that planners read the index by importance and skip what is ahead, instead of sorting all that is past.
    ranks(sql`coalesce(${at}, ${at}) <= ${sql.param(now, at)}`)
      .orderBy(desc(importance), desc(at), desc(id))
      .limit(limit),
    ranks(gt(at, now)).orderBy(asc(at), asc(id)).limit(limit),
  ]);
  return neighbours.flat();
}

/** Episodes with these ids, in their order, without those that were deleted meanwhile. */
export async function readEpisodes(
  { read, tables: { episodes } }: Episodes,
  owner: MemoryOwner,
  ids: readonly string[],
): Promise<StoredEpisode[]> {
  if (ids.length === 0) return [];
  const rows = await read
    .select()
    .from(episodes)
    .where(and(matches(episodes, owner, {}), inArray(episodes.id, [...ids])));
  const episodesById = new Map(rows.map((row) => [row.id, stored(row)]));
  return ids.flatMap((id) => episodesById.get(id) ?? []);
}

/** Deletes the matching episodes and returns their number. */
export async function deleteEpisodes(
  { transact, tables: { episodes } }: Episodes,
  owner: MemoryOwner,
  filter: EpisodeFilter,
): Promise<number> {
  const removed = await transact((tx) =>
    tx
      .delete(episodes)
      .where(matches(episodes, owner, filter))
      .returning({ id: episodes.id }),
  );
  return removed.length;
}

function matches(
  episodes: EpisodeTables["episodes"],
  { tenant, agent }: MemoryOwner,
  { id, sessionId, users, type, since, until, importanceMin }: EpisodeFilter,
): SQL | undefined {
  return and(
    eq(episodes.tenant, tenant),
    eq(episodes.agent, agent),
    id === undefined ? undefined : eq(episodes.id, id),
    sessionId === undefined ? undefined : eq(episodes.sessionId, sessionId),
    users === undefined ? undefined : inArray(episodes.user, [...users]),
    type === undefined ? undefined : eq(episodes.eventType, type),
    since && gte(episodes.at, since),
    until && lt(episodes.at, until),
    importanceMin === undefined ? undefined : gte(episodes.importance, importanceMin),
  );
}

function stored({
  id,
  sessionId,
  user,
  eventType,
  summary,
  context,
  outcome,
  at,
  importance,
}: EpisodeTables["episodes"]["$inferSelect"]): StoredEpisode {
  return { id, sessionId, user, event_type: eventType, summary, context, outcome, at, importance };
}
