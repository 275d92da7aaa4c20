import { waitsForCaller } from "../tools/bound-tool.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

/** The agent and every agent it can call, directly or indirectly, each once. Names that `find` does not know are left out. */
export function agentsWithin(
  agent: RunnableAgent,
  find: (name: string) => RunnableAgent | undefined,
): RunnableAgent[] {
  const agents = new Map([[agent.name, agent]]);
  for (const one of agents.values()) {
    for (const name of calledBy(one)) {
      const other = agents.has(name) ? undefined : find(name);
      if (other !== undefined) agents.set(name, other);
    }
  }
  return [...agents.values()];
}

/** Returns true if the agent may call others, by a tool or its chain. */
export function callsAgents({ tools, chain }: RunnableAgent): boolean {
  if ((chain?.links.length ?? 0) > 0) return true;
  for (const { worker } of tools.values()) if (worker !== undefined) return true;
  return false;
}

/** Returns true if a run of the agent may have to wait for a person's approval or for its caller. */
export function mayPause(agent: RunnableAgent): boolean {
  if (needsApproval(agent)) return true;
  for (const tool of agent.tools.values()) if (waitsForCaller(tool)) return true;
  return false;
}

/** Returns true if a server of the agent's tools may ask a person something during a call. */
export function mayBeAsked({ live }: RunnableAgent): boolean {
  return live?.sources.some(({ source }) => source.mcp !== undefined) ?? false;
}

/** Returns true if at least one tool of the agent requires a person's approval. */
export function needsApproval({ tools, live }: RunnableAgent): boolean {
  for (const { requiresApproval } of tools.values()) if (requiresApproval) return true;
  return live?.sources.some(({ terms }) => terms.requiresApproval) ?? false;
}

function calledBy({ tools, chain }: RunnableAgent): string[] {
  const names: string[] = [];
  for (const { worker } of tools.values()) if (worker !== undefined) names.push(worker);
  for (const { agent, onError } of chain?.links ?? []) {
    names.push(agent);
    if (typeof onError === "object") names.push(onError.standIn);
  }
  return names;
}
