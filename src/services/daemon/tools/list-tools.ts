import type { ToolList } from "../../../contracts/daemon/tools.ts";
import { withToolsNow } from "../../../engine/run/live-tools.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";

/**
 * Each tool once, with the agents that have it, and its schema where that is asked for; a name that means different things is
 * listed per type.
 */
export function listTools(catalog: AgentCatalog, withParameters = false): ToolList["tools"] {
  const tools = new Map<string, ToolList["tools"][number]>();
  for (const { agent } of catalog.list()) {
    for (const { tool } of agent === undefined ? [] : withToolsNow(agent).tools.values()) {
      const key = `${tool.type} ${tool.name}`;
      const listed = tools.get(key) ?? {
        name: tool.name,
        type: tool.type,
        description: tool.description,
        agents: [],
        ...(withParameters && { parameters: tool.parameters }),
      };
      if (agent !== undefined) listed.agents.push(agent.name);
      tools.set(key, listed);
    }
  }
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
