import type { ToolList } from "../../../contracts/daemon/tools.ts";
import { withToolsNow } from "../../../engine/run/live-tools.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { OwnToolFiles } from "./own-tool-files.ts";

/**
 * Lists each tool of the agents and of the workspace's own files once, with the agents that have it, and with its schema if requested. A
 * name used by tools of different types is listed once per type.
 */
export function listTools(
  { catalog, ownTools }: { catalog: AgentCatalog; ownTools: OwnToolFiles },
  withParameters = false,
): ToolList {
  const tools = new Map<string, ToolList["tools"][number]>();
  for (const { name, description, parameters, writes, file } of ownTools.list()) {
    const listed = { name, type: "internal", description, agents: [], file, writes };
    tools.set(`internal ${name}`, { ...listed, ...(withParameters && { parameters }) });
  }
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
  const faults = ownTools.faults();
  return {
    tools: [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
    ...(faults.length > 0 && { broken_files: faults }),
  };
}
