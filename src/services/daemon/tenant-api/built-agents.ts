import type { RegisteredAgent } from "../../../contracts/runtime/agents.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";

/** An agent of a tenant, ready to run. */
export interface TenantAgent {
  tenant: string;
  name: string;
  agentId: string;
  checksum: string;
  agent: RunnableAgent;
  /** Whose provider keys its models use; absent: the operator's. */
  keys?: "own";
  registered: Omit<RegisteredAgent, "status">;
  /** The providers' revision that it was built with. */
  revision: unknown;
}

/** Agents of all tenants that are built and ready to run. `TenantAgents` fills it. */
export class BuiltAgents {
  /** Agents by runtime name, least recently used first. */
  readonly #agents = new Map<string, TenantAgent>();

  get size(): number {
    return this.#agents.size;
  }

  get(runtimeName: string): TenantAgent | undefined {
    return this.#agents.get(runtimeName);
  }

  /** Sets the agent as the one that was used last. */
  use(runtimeName: string, agent: TenantAgent): void {
    this.#agents.delete(runtimeName);
    this.#agents.set(runtimeName, agent);
  }

  delete(runtimeName: string): void {
    this.#agents.delete(runtimeName);
  }

  /** Agents by runtime name, least recently used first. */
  entries(): Iterable<[string, TenantAgent]> {
    return this.#agents.entries();
  }

  find(tenant: string, name: string): TenantAgent | undefined {
    const agent = this.#agents.get(runtimeNameOf(tenant, name));
    // A tenant's id contains no `__`, so a name can't reach another tenant's agents. This is a second check.
    return agent?.tenant === tenant ? agent : undefined;
  }

  /** Finds an agent by the id that its memory belongs to. */
  findById(tenant: string, agentId: string): TenantAgent | undefined {
    return this.of(tenant).find((one) => one.agentId === agentId);
  }

  of(tenant: string): TenantAgent[] {
    return [...this.#agents.values()].filter((one) => one.tenant === tenant);
  }

  list(): TenantAgent[] {
    return [...this.#agents.values()];
  }
}

/** Name of a tenant's agent in the runtime. */
export const runtimeNameOf = (tenant: string, name: string) => `t_${tenant}__${name}`;
