import type { SessionForgotten } from "../../../contracts/daemon/memory/semantic-memory.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";
import { findEpisodes, findTexts } from "./daemon-recall.ts";

/** Deletes a session's data from each memory of the agent. Throws like `getLoaded`. */
export async function forgetSession(
  deps: DaemonDeps,
  agent: string,
  sessionId: string,
): Promise<SessionForgotten> {
  const owner = { tenant: operatorTenant, agent };
  const { memory } = deps.catalog.getLoaded(agent);
  const [messages, texts, episodes] = await Promise.all([
    memory.store.clear({ ...owner, sessionId }),
    findTexts(deps, agent)?.forget(owner, { session: sessionId }) ?? 0,
    findEpisodes(deps, agent)?.forget(owner, { sessionId }) ?? 0,
  ]);
  return { status: "forgotten", agent, session_id: sessionId, messages, texts, episodes };
}
