import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  EpisodeList,
  EpisodeRecord,
  EpisodesForgotten,
  NewEpisode,
} from "../../../../contracts/daemon/memory/episodes.ts";
import { jsonBody } from "../../../../http/bodies/json-body.ts";
import { cursor, decodeCursor, encodeCursor } from "../../../../http/page-cursor.ts";
import { pageLimit } from "../../../../http/paging.ts";
import { requireInstant } from "../../../../http/read-instant.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { getEpisodes, type RecallDeps, writeMemory } from "../daemon-recall.ts";
import { everything, ofWhom, requireSelection, unitNumber } from "../read-memory-query.ts";
import { addEpisode } from "./add-episode.ts";
import type { EpisodeFilter, EpisodePosition, StoredEpisode } from "./store.ts";

const selected = {
  ...ofWhom,
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "ID of an episode." })),
  type: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: "Selects only episodes of this `event_type`." }),
  ),
  since: Type.Optional(
    Type.String({ maxLength: 64, description: "Selects only episodes at or after this time, ISO 8601." }),
  ),
  until: Type.Optional(
    Type.String({ maxLength: 64, description: "Selects only episodes before this time, ISO 8601." }),
  ),
};

const tags = ["memory"];

/** Routes for an agent's episodic memory: list, add and forget. */
export const episodeRoutes = (deps: RecallDeps & { clock: Clock }) =>
  new Elysia({ prefix: "/v1/memory/:agent/episodes" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ params: { agent }, query }) => {
        const { limit } = query;
        const before = readPlace(query.cursor);
        const episodePage = await (await getEpisodes(deps, agent)).page(ownerOf(agent), readFilter(query), {
          limit: limit + 1,
          ...(before && { before }),
        });
        const page = episodePage.slice(0, limit);
        const last = page.at(-1);
        return {
          episodes: page.map(presentEpisode),
          ...(episodePage.length > limit && last !== undefined && { next_cursor: writePlace(last) }),
        };
      },
      {
        query: Type.Object({
          ...selected,
          min_importance: unitNumber("Minimum importance of an episode."),
          limit: pageLimit({ default: 50, max: 500 }),
          cursor,
        }),
        response: EpisodeList,
        detail: { tags, operationId: "listEpisodes", summary: "Lists episodes, newest first" },
      },
    )
    .post(
      "",
      async ({ params: { agent }, body, set }) => {
        const episodes = await getEpisodes(deps, agent);
        const episode = await writeMemory(deps, agent, () =>
          addEpisode(episodes, ownerOf(agent), body, deps.clock.now()),
        );
        set.status = 201;
        return presentEpisode(episode);
      },
      {
        ...jsonBody(NewEpisode),
        response: { 201: EpisodeRecord },
        detail: {
          tags,
          operationId: "addEpisode",
          summary: "Stores an episode of an agent",
        },
      },
    )
    .delete(
      "",
      async ({ params: { agent }, query: { all, ...query } }) => {
        requireSelection(query, all, "session_id, user, id, type, since and until");
        const episodes = await (await getEpisodes(deps, agent)).forget(ownerOf(agent), readFilter(query));
        return { status: "forgotten" as const, agent, episodes };
      },
      {
        query: Type.Object({ ...selected, all: everything }),
        response: EpisodesForgotten,
        detail: {
          tags,
          operationId: "forgetEpisodes",
          summary: "Deletes episodes by session, user, type, time or id",
          description: "If several parameters are set, deletes only episodes that match all of them.",
        },
      },
    );

const ownerOf = (agent: string) => ({ tenant: operatorTenant, agent });

function presentEpisode({ at, sessionId, user, ...episode }: StoredEpisode): EpisodeRecord {
  const { id, event_type, summary, context, outcome, importance } = episode;
  return {
    id,
    event_type,
    summary,
    context,
    outcome,
    timestamp: at.toISOString(),
    importance,
    ...(sessionId !== "" && { session_id: sessionId }),
    ...(user !== "" && { user }),
  };
}

/** Filter parameters of a query, as in the URL. */
interface EpisodeQuery {
  id?: string | undefined;
  session_id?: string | undefined;
  user?: string | undefined;
  type?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  min_importance?: string | undefined;
}

/** Throws AppError `invalid_request` for invalid timestamps. */
function readFilter(query: EpisodeQuery): EpisodeFilter {
  const { id, session_id, user, type, since, until, min_importance } = query;
  return {
    ...(id !== undefined && { id }),
    ...(session_id !== undefined && { sessionId: session_id }),
    ...(user !== undefined && { users: [user] }),
    ...(type !== undefined && { type }),
    ...(since !== undefined && { since: requireInstant("since", since) }),
    ...(until !== undefined && { until: requireInstant("until", until) }),
    ...(min_importance !== undefined && { importanceMin: Number(min_importance) }),
  };
}

/** Throws AppError `invalid_request` for a cursor that `writePlace` did not create. */
function readPlace(cursor: string | undefined): EpisodePosition | undefined {
  if (cursor === undefined) return undefined;
  const [at, id] = decodeCursor(cursor);
  return { at: requireInstant("cursor", String(at)), id: String(id) };
}

function writePlace({ at, id }: EpisodePosition): string {
  return encodeCursor([at.toISOString(), id]);
}
