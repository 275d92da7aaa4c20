import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  MemoryAdded,
  MemoryForgotten,
  MemoryReindexing,
  MemoryTexts,
  NewMemory,
  SemanticResults,
} from "../../../../contracts/daemon/memory/semantic-memory.ts";
import { jsonBody } from "../../../../http/bodies/json-body.ts";
import { cursor, decodeCursor, encodeCursor } from "../../../../http/page-cursor.ts";
import { pageLimit } from "../../../../http/paging.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import type { TextSelection } from "../../../../retrieval/memory/memory-index.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { getTexts, type RecallDeps, writeMemory } from "../daemon-recall.ts";
import { everything, ofWhom, requireSelection, unitNumber } from "../read-memory-query.ts";
import { presentText } from "./found-memories.ts";

const id = Type.String({ minLength: 1, maxLength: 255, description: "ID of a memory." });

const forgetLost = Type.Union([Type.Literal("true"), Type.Literal("false")], {
  description:
    "`true` continues with the texts in the current vector store, even if some or all texts are lost.",
});

const SearchQuery = Type.Object({
  query: Type.String({ minLength: 1, maxLength: 8192, description: "Search query." }),
  top_k: pageLimit({ default: 5, max: 100 }),
  score_threshold: unitNumber("Minimum similarity of a result. Default: 0."),
  ...ofWhom,
});

const tags = ["memory"];

/** Routes for an agent's semantic memory: search, list, add and forget. */
export const semanticRoutes = (deps: RecallDeps) =>
  new Elysia({ prefix: "/v1/memory/:agent/semantic" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ params: { agent }, query, request: { signal } }) => {
        const results = await (await getTexts(deps, agent)).search(ownerOf(agent), {
          query: query.query,
          limit: query.top_k,
          scoreMin: Number(query.score_threshold ?? 0),
          selection: selectionOf(query),
          signal,
        });
        return { results: results.map(presentText) };
      },
      {
        query: SearchQuery,
        response: SemanticResults,
        detail: {
          tags,
          operationId: "searchMemory",
          summary: "Searches an agent's memory, best match first",
          description: "Searches all sessions and users, unless `session_id` or `user` is set.",
        },
      },
    )
    .post(
      "",
      async ({ params: { agent }, body, set }) => {
        const { text, metadata = {}, session_id: session = "", user = "" } = body;
        const texts = await getTexts(deps, agent);
        const added = await writeMemory(deps, agent, () =>
          texts.add(ownerOf(agent), { text, metadata, session, user }),
        );
        set.status = 201;
        return { id: added, status: "stored" as const };
      },
      {
        ...jsonBody(NewMemory),
        response: { 201: MemoryAdded },
        detail: { tags, operationId: "addMemory", summary: "Stores a memory of an agent" },
      },
    )
    .get(
      "/texts",
      async ({ params: { agent }, query, request: { signal } }) => {
        const { limit } = query;
        const [after] = query.cursor === undefined ? [] : decodeCursor(query.cursor);
        const rows = await (await getTexts(deps, agent)).list(ownerOf(agent), selectionOf(query), {
          limit: limit + 1,
          signal,
          ...(typeof after === "string" && { after }),
        });
        const page = rows.slice(0, limit);
        const last = page.at(-1);
        return {
          texts: page.map((row) => {
            const { metadata, text } = presentText({ ...row, score: 0 });
            return { id: row.id, text, metadata };
          }),
          ...(rows.length > limit && last !== undefined && { next_cursor: encodeCursor([last.row]) }),
        };
      },
      {
        query: Type.Object({ ...ofWhom, limit: pageLimit({ default: 50, max: 500 }), cursor }),
        response: MemoryTexts,
        detail: {
          tags,
          operationId: "listMemory",
          summary: "Lists an agent's memories; long texts in chunks, in no particular order",
        },
      },
    )
    .post(
      "/reindex",
      async ({ params: { agent }, query: { forget_lost: forgetLost }, set }) => {
        const texts = await (await getTexts(deps, agent)).reindex(ownerOf(agent), forgetLost === "true");
        set.status = 202;
        return { status: "indexing" as const, agent, texts };
      },
      {
        query: Type.Object({ forget_lost: Type.Optional(forgetLost) }),
        response: { 202: MemoryReindexing },
        detail: {
          tags,
          operationId: "reindexMemory",
          summary: "Rebuilds an agent's memory with its current embedder",
          description:
            "Uses the texts in the vector store. If texts are missing, the request fails with 503 `vectors_elsewhere`, unless `forget_lost` is true.",
        },
      },
    )
    .delete(
      "",
      async ({ params: { agent }, query: { all, ...selected } }) => {
        requireSelection(selected, all, "session_id, user and id");
        const texts = await (await getTexts(deps, agent)).forget(ownerOf(agent), selectionOf(selected));
        return { status: "forgotten" as const, agent, texts };
      },
      {
        query: Type.Object({ ...ofWhom, id: Type.Optional(id), all: everything }),
        response: MemoryForgotten,
        detail: {
          tags,
          operationId: "forgetMemory",
          summary: "Deletes memories by session, user or id",
          description:
            "If several parameters are set, deletes only memories that match all of them. Deleted memories are removed from the vector store and from the queue of pending writes.",
        },
      },
    )
    .delete(
      "/:id",
      async ({ params: { agent, id } }) => {
        const texts = await (await getTexts(deps, agent)).forget(ownerOf(agent), { id });
        return { status: "forgotten" as const, agent, texts };
      },
      {
        params: Type.Object({ agent: Type.String(), id }),
        response: MemoryForgotten,
        detail: { tags, operationId: "forgetMemoryText", summary: "Deletes a memory" },
      },
    );

const ownerOf = (agent: string) => ({ tenant: operatorTenant, agent });

function selectionOf({
  session_id: session,
  user,
  id,
}: {
  session_id?: string | undefined;
  user?: string | undefined;
  id?: string | undefined;
}): TextSelection {
  return {
    ...(session !== undefined && { session }),
    ...(user !== undefined && { users: [user] }),
    ...(id !== undefined && { id }),
  };
}
