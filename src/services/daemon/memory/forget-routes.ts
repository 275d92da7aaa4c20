import { Elysia } from "elysia";
import { HistoryPath } from "../../../contracts/daemon/memory/memory.ts";
import { SessionForgotten } from "../../../contracts/daemon/memory/semantic-memory.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import type { Clock } from "../../../kit/clock.ts";
import { type CallerRunStorage, forgetCallerRuns } from "../durable-runs/caller-run-store.ts";
import type { McpTasks } from "../mcp/tasks/mcp-tasks.ts";
import { forgetTasks } from "../mcp/tasks/store.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { ResponseRuns } from "../responses/response-runs.ts";
import { forgetResponses } from "../responses/store.ts";
import { type ConversationDeps, conversationsOf } from "./conversations/conversations-of.ts";
import { findEpisodes, findTexts, type RecallDeps } from "./daemon-recall.ts";

export interface ForgetDeps extends RecallDeps, ConversationDeps {
  clock: Clock;
  responses: Pick<ResponseRuns, "storage">;
  mcpTasks: Pick<McpTasks, "storage">;
  callers: { ports: { storage: CallerRunStorage } };
}

/** Routes that delete from all that an agent keeps. */
export const forgetRoutes = (deps: ForgetDeps) =>
  new Elysia({ prefix: "/v1/memory/:agent/sessions/:session" })
    .use(jsonRoutes())
    .delete("", async ({ params: { agent, session } }) => forgetSession(deps, agent, session), {
      params: HistoryPath,
      response: SessionForgotten,
      detail: {
        tags: ["memory"],
        operationId: "forgetSession",
        summary:
          "Deletes everything an agent keeps of a session: conversation, texts, episodes and stored responses",
      },
    });

/** Deletes a session's data from each memory of the agent, and its stored responses; runs in progress store nothing. Throws like `getLoaded`. */
async function forgetSession(deps: ForgetDeps, agent: string, sessionId: string): Promise<SessionForgotten> {
  const owner = { tenant: operatorTenant, agent };
  const [texts, episodes] = [await findTexts(deps, agent), await findEpisodes(deps, agent)];
  const store = await conversationsOf(deps, agent);
  await store.end({ ...owner, sessionId }, deps.clock.now());
  const [messages, textsForgotten, episodesForgotten, responses] = await Promise.all([
    store.clear({ ...owner, sessionId }),
    texts?.forget(owner, { session: sessionId }) ?? 0,
    episodes?.forget(owner, { sessionId }) ?? 0,
    forgetResponses(deps.responses.storage, { ...owner, sessionId }),
    // They are calls of other programs; the answer counts what people see.
    forgetTasks(deps.mcpTasks.storage, { ...owner, sessionId }),
    forgetCallerRuns(deps.callers.ports.storage, { ...owner, sessionId }),
  ]);
  return {
    status: "forgotten",
    agent,
    session_id: sessionId,
    messages,
    texts: textsForgotten,
    episodes: episodesForgotten,
    responses,
  };
}
