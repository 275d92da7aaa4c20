import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { AgentKey } from "../../../engine/memory/conversation.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { operatorTenant } from "../operator-tenant.ts";

/** Agents by the keys of their memory. */
export interface MemoryOwners {
  find(key: AgentKey): RunnableAgent | undefined;
  list(): { key: AgentKey; agent: RunnableAgent }[];
}

/** The agents of the other tenants. */
export interface TenantsWithMemory {
  findById(tenant: string, agentId: string): { agent: RunnableAgent } | undefined;
  list(): { tenant: string; agentId: string; agent: RunnableAgent }[];
}

/** Creates the owners of memory: the operator's agents and those of the other tenants, as they are now and later. */
export function createMemoryOwners(
  catalog: Pick<AgentCatalog, "findEntry" | "list">,
  tenants: TenantsWithMemory,
): MemoryOwners {
  return {
    find({ tenant, agent }) {
      if (tenant === operatorTenant) return catalog.findEntry(agent)?.agent;
      return tenants.findById(tenant, agent)?.agent;
    },
    list: () => [
      ...catalog.list().flatMap(({ name, agent }) => {
        return agent === undefined ? [] : [{ key: { tenant: operatorTenant, agent: name }, agent }];
      }),
      ...tenants.list().map(({ tenant, agentId, agent }) => {
        return { key: { tenant, agent: agentId }, agent };
      }),
    ],
  };
}
