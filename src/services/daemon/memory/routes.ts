import { Elysia } from "elysia";
import { History, HistoryCleared, HistoryPath } from "../../../contracts/daemon/memory.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";

/** The most messages that one history answer holds, the latest ones. */
const messagesMax = 1000;

export const memoryRoutes = ({ catalog }: DaemonDeps) =>
  new Elysia({ prefix: "/v1/memory/:agent/history/:session" })
    .use(jsonRoutes())
    .get(
      "",
      async ({ params: { agent, session } }) => {
        const { memory } = catalog.getLoaded(agent);
        const turns = await memory.store.recent(
          { tenant: operatorTenant, agent, sessionId: session },
          messagesMax,
        );
        return {
          agent,
          session_id: session,
          messages: turns.map(({ role, content }) => ({ role, content })),
        };
      },
      {
        params: HistoryPath,
        response: History,
        detail: {
          tags: ["memory"],
          operationId: "getHistory",
          summary: "What a session's memory holds, oldest first",
        },
      },
    )
    .delete(
      "",
      async ({ params: { agent, session } }) => {
        const { memory } = catalog.getLoaded(agent);
        await memory.store.clear({ tenant: operatorTenant, agent, sessionId: session });
        return { status: "cleared" as const, agent, session_id: session };
      },
      {
        params: HistoryPath,
        response: HistoryCleared,
        detail: {
          tags: ["memory"],
          operationId: "clearHistory",
          summary: "Forgets a session's conversation",
        },
      },
    );
