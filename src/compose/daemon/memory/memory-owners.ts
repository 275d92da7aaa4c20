import type { AgentKey } from "../../../engine/memory/conversation.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import type { AgentCatalog } from "../../../services/daemon/agents/agent-catalog.ts";
import { operatorTenant } from "../../../services/daemon/deps.ts";
import type { TenantAgents } from "../../../services/daemon/runtime/tenant-agents.ts";

/** Agents by the keys of their memory. */
export interface MemoryOwners {
  find(key: AgentKey): RunnableAgent | undefined;
  list(): { key: AgentKey; agent: RunnableAgent }[];
  /** Adds the agents of the other tenants, now and later. */
  include(tenants: Pick<TenantAgents, "findById" | "list">): void;
}

/** Creates the owners of memory. They exist before any agent, because agents are built with their memory. */
export function createMemoryOwners(catalog: Pick<AgentCatalog, "findEntry" | "list">): MemoryOwners {
  let tenants: Parameters<MemoryOwners["include"]>[0] | undefined;
  return {
    find({ tenant, agent }) {
      if (tenant === operatorTenant) return catalog.findEntry(agent)?.agent;
      return tenants?.findById(tenant, agent)?.agent;
    },
    list: () => [
      ...catalog.list().flatMap(({ name, agent }) => {
        return agent === undefined ? [] : [{ key: { tenant: operatorTenant, agent: name }, agent }];
      }),
      ...(tenants?.list() ?? []).map(({ tenant, agentId, agent }) => {
        return { key: { tenant, agent: agentId }, agent };
      }),
    ],
    include(others) {
      tenants = others;
    },
  };
}
