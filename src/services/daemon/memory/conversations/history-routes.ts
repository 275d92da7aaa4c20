import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { History, HistoryCleared, HistoryPath } from "../../../../contracts/daemon/memory/memory.ts";
import { cursor } from "../../../../http/page-cursor.ts";
import { pageLimit } from "../../../../http/paging.ts";
import { jsonRoutes } from "../../../../http/route-plugins.ts";
import type { Clock } from "../../../../kit/clock.ts";
import { operatorTenant } from "../../operator-tenant.ts";
import { type ConversationDeps, conversationsOf } from "./conversations-of.ts";
import { readHistory } from "./read-history.ts";

/** Maximum number of messages in one history answer; the latest are returned. */
const messagesMax = 1000;

const HistoryQuery = Type.Object({
  limit: Type.Optional(pageLimit({ default: messagesMax, max: messagesMax })),
  cursor,
  full: Type.Optional(
    Type.Union([Type.Literal("true"), Type.Literal("false")], {
      description: "`true` includes positions, times, tokens, metadata and the summary.",
    }),
  ),
});

export const memoryRoutes = (deps: ConversationDeps & { clock: Clock }) =>
  new Elysia({ prefix: "/v1/memory/:agent/history/:session" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ params: { agent, session }, query, request }) => {
        const parameters = new URL(request.url).searchParams;
        return readHistory(
          await conversationsOf(deps, agent),
          { tenant: operatorTenant, agent, sessionId: session },
          {
            limit: query.limit ?? messagesMax,
            cursor: query.cursor,
            full: query.full === "true",
            paged: parameters.has("limit") || parameters.has("cursor"),
          },
        );
      },
      {
        params: HistoryPath,
        query: HistoryQuery,
        response: History,
        detail: {
          tags: ["memory"],
          operationId: "getHistory",
          summary: "Returns a session's conversation, oldest first",
          description:
            "Returns the latest 1000 messages. With `limit`, returns that number of latest messages and a cursor for older ones.",
        },
      },
    )
    .delete(
      "",
      async ({ params: { agent, session } }) => {
        const store = await conversationsOf(deps, agent);
        const key = { tenant: operatorTenant, agent, sessionId: session };
        await store.end(key, deps.clock.now());
        await store.clear(key);
        return { status: "cleared" as const, agent, session_id: session };
      },
      {
        params: HistoryPath,
        response: HistoryCleared,
        detail: {
          tags: ["memory"],
          operationId: "clearHistory",
          summary: "Deletes a session's conversation",
        },
      },
    );
