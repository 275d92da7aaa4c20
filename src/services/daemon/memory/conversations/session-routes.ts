import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  exportMediaType,
  MemoryCleared,
  type MemorySession,
  MemorySessionList,
} from "../../../../contracts/daemon/memory/memory.ts";
import { SessionId } from "../../../../contracts/daemon/runs/run.ts";
import type { SessionPlace, SessionSummary } from "../../../../engine/memory/conversation.ts";
import { cursor, decodeCursor, encodeCursor } from "../../../../http/page-cursor.ts";
import { pageLimit } from "../../../../http/paging.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { type ConversationDeps, conversationsOf } from "./conversations-of.ts";
import { exportSessions, jsonLines } from "./export-sessions.ts";
import { forgetConversations } from "./forget-conversations.ts";

const tags = ["memory"];

/** Routes for all sessions of an agent. */
export const sessionRoutes = (deps: ConversationDeps & { clock: Clock }) =>
  new Elysia({ prefix: "/v1/memory/:agent" })
    .use(jsonRoutes())
    .get(
      "/sessions",
      async ({ params: { agent }, query: { limit, cursor: from } }) => {
        const sessions = await (await conversationsOf(deps, agent)).sessions(ownerOf(agent), {
          limit: limit + 1,
          after: from === undefined ? undefined : placeOf(from),
        });
        const page = sessions.slice(0, limit);
        const last = page.at(-1);
        return {
          agent,
          sessions: page.map(presentSession),
          ...(sessions.length > limit &&
            last !== undefined && { next_cursor: encodeCursor([last.lastAt.getTime(), last.sessionId]) }),
        };
      },
      {
        query: Type.Object({ limit: pageLimit({ default: 50, max: 500 }), cursor }),
        response: MemorySessionList,
        detail: {
          tags,
          operationId: "listSessions",
          summary: "Lists an agent's sessions, most recently continued first",
        },
      },
    )
    .get(
      "/export",
      async ({ params: { agent }, query: { session_id: session } }) => {
        const lines = exportSessions(await conversationsOf(deps, agent), ownerOf(agent), session);
        // Elysia's types don't allow a handler to return a Response besides its schema.
        return (await jsonLines(lines, exportMediaType)) as never;
      },
      {
        query: Type.Object({ session_id: Type.Optional(SessionId) }),
        detail: {
          tags,
          operationId: "exportMemory",
          summary: "Exports an agent's conversations as JSON Lines",
          description:
            "Each conversation is a line of type `session`, followed by its turns, oldest first. A complete export ends with a line of type `end`.",
        },
      },
    )
    .delete(
      "",
      async ({ params: { agent } }) => {
        const sessions = await forgetConversations(
          await conversationsOf(deps, agent),
          ownerOf(agent),
          deps.clock.now(),
        );
        return { status: "cleared" as const, agent, sessions };
      },
      {
        response: MemoryCleared,
        detail: {
          tags,
          operationId: "clearMemory",
          summary: "Deletes all conversations of an agent",
          description:
            "Deletes conversations only. To delete memories and episodes, use `/semantic` and `/episodes`.",
        },
      },
    );

const ownerOf = (agent: string) => ({ tenant: operatorTenant, agent });

function presentSession(session: SessionSummary): MemorySession {
  const { sessionId, turns, tokens, firstAt, lastAt, isSummarized } = session;
  return {
    session_id: sessionId,
    turns,
    tokens,
    first_at: firstAt.toISOString(),
    last_at: lastAt.toISOString(),
    has_summary: isSummarized,
  };
}

function placeOf(text: string): SessionPlace | undefined {
  const [ms, sessionId] = decodeCursor(text);
  return typeof ms === "number" && typeof sessionId === "string"
    ? { lastAt: new Date(ms), sessionId }
    : undefined;
}
