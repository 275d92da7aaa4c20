import type { AgentSummary } from "../../../contracts/daemon/agents.ts";

/** Returns the agents whose name, model, pattern or description contains every word, with the given status if any. */
export function filterAgents(
  agents: readonly AgentSummary[],
  search: string,
  status: string,
): AgentSummary[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return agents.filter((agent) => {
    if (status !== "" && agent.status !== status) return false;
    const text = `${agent.name} ${agent.model} ${agent.pattern} ${agent.description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
