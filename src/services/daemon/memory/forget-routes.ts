import { Elysia } from "elysia";
import { HistoryPath } from "../../../contracts/daemon/memory/memory.ts";
import { SessionForgotten } from "../../../contracts/daemon/memory/semantic-memory.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { findEpisodes, findTexts, type RecallDeps } from "./daemon-recall.ts";

/** Routes that delete from all memories of an agent. */
export const forgetRoutes = (deps: RecallDeps) =>
  new Elysia({ prefix: "/v1/memory/:agent/sessions/:session" })
    .use(jsonRoutes())
    .delete("", async ({ params: { agent, session } }) => forgetSession(deps, agent, session), {
      params: HistoryPath,
      response: SessionForgotten,
      detail: {
        tags: ["memory"],
        operationId: "forgetSession",
        summary: "Deletes everything an agent remembers of a session: conversation, texts and episodes",
      },
    });

/** Deletes a session's data from each memory of the agent. Throws like `getLoaded`. */
async function forgetSession(deps: RecallDeps, agent: string, sessionId: string): Promise<SessionForgotten> {
  const owner = { tenant: operatorTenant, agent };
  const { memory } = deps.catalog.getLoaded(agent);
  const [messages, texts, episodes] = await Promise.all([
    memory.store.clear({ ...owner, sessionId }),
    findTexts(deps, agent)?.forget(owner, { session: sessionId }) ?? 0,
    findEpisodes(deps, agent)?.forget(owner, { sessionId }) ?? 0,
  ]);
  return { status: "forgotten", agent, session_id: sessionId, messages, texts, episodes };
}
