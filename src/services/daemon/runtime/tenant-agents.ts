import type { RegisterAgent, RegisteredAgent } from "../../../contracts/runtime/agents.ts";
import type { RunnableAgent } from "../../../engine/run/runnable-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent.ts";
import { targetsOf } from "../../../manifest/check-chains.ts";
import { modelCandidates } from "../../../manifest/model.ts";

/** An agent of a tenant, ready to run. */
export interface TenantAgent {
  tenant: string;
  name: string;
  agentId: string;
  checksum: string;
  agent: RunnableAgent;
  registered: Omit<RegisteredAgent, "status">;
}

export interface TenantAgentsPorts {
  /** Builds an agent under the tenants' policy. Throws AppError `invalid_manifest` with every problem. */
  build(tenant: string, spec: unknown): RunnableAgent;
  /** The agents that a tenant has now. */
  serve(tenant: string, agents: readonly RunnableAgent[]): void;
}

/** Agents kept ready at most; the one that was used longest ago goes first, and is pushed again when it is needed. */
const agentsMax = 5000;

/** The agents of all tenants, each found by its tenant alone. They live as long as the process: whoever stores them pushes them. */
export class TenantAgents {
  readonly #ports: TenantAgentsPorts;
  readonly #max: number;
  /** By runtime name, the one that was used longest ago first. */
  readonly #agents = new Map<string, TenantAgent>();

  constructor(ports: TenantAgentsPorts, max = agentsMax) {
    this.#ports = ports;
    this.#max = max;
  }

  /** Builds and keeps the agent, unless it is there already as it is. */
  register(runtimeName: string, given: RegisterAgent): RegisteredAgent {
    const { tenant_id: tenant, agent_id: agentId, name, checksum, spec } = given;
    requireTenant(tenant);
    if (runtimeName !== runtimeNameOf(tenant, name)) throw wrongName(runtimeName);
    const known = this.#agents.get(runtimeName);
    if (known?.checksum === checksum && known.agentId === agentId) {
      return { ...known.registered, status: "unchanged" };
    }
    const built = this.#ports.build(tenant, spec);
    if (built.name !== name) throw wrongName(runtimeName);
    const agent: RunnableAgent = { ...built, memoryId: agentId };
    const registered = {
      runtime_name: runtimeName,
      checksum,
      candidates: candidatesOf(agent),
      references: referencesOf(agent.manifest),
    };
    this.#agents.delete(runtimeName);
    this.#agents.set(runtimeName, { tenant, name, agentId, checksum, agent, registered });
    this.#makeRoom();
    this.#serve(tenant);
    return { ...registered, status: "registered" };
  }

  /** The agent as it is to be run. Throws AppError `agent_not_found`, or `agent_outdated` when another version is here. */
  current(runtimeName: string, checksum: string): TenantAgent {
    const found = this.#agents.get(runtimeName);
    if (found === undefined) {
      throw new AppError("not_found", "agent_not_found", "There is no agent registered by this name.");
    }
    if (found.checksum !== checksum) {
      throw new AppError("conflict", "agent_outdated", "Another version of this agent is registered.");
    }
    this.#agents.delete(runtimeName);
    this.#agents.set(runtimeName, found);
    return found;
  }

  find(tenant: string, name: string): TenantAgent | undefined {
    const found = this.#agents.get(runtimeNameOf(tenant, name));
    // A tenant's id has no `__`, so that a name can't reach into another's; this says it once more.
    return found?.tenant === tenant ? found : undefined;
  }

  /** By what its memory belongs to. */
  findById(tenant: string, agentId: string): TenantAgent | undefined {
    return this.of(tenant).find((one) => one.agentId === agentId);
  }

  of(tenant: string): TenantAgent[] {
    return [...this.#agents.values()].filter((one) => one.tenant === tenant);
  }

  list(): TenantAgent[] {
    return [...this.#agents.values()];
  }

  /** Takes the agent away; undefined when it is not here. */
  remove(runtimeName: string): TenantAgent | undefined {
    const found = this.#agents.get(runtimeName);
    if (found === undefined) return undefined;
    this.#agents.delete(runtimeName);
    this.#serve(found.tenant);
    return found;
  }

  /** Says once more which agents a tenant has, for what was opened for one that is none of them. */
  tidy(tenant: string): void {
    this.#serve(tenant);
  }

  #makeRoom(): void {
    for (const [oldest, { tenant }] of this.#agents) {
      if (this.#agents.size <= this.#max) return;
      this.#agents.delete(oldest);
      this.#serve(tenant);
    }
  }

  #serve(tenant: string): void {
    this.#ports.serve(
      tenant,
      this.of(tenant).map(({ agent }) => agent),
    );
  }
}

const tenantPattern = /^[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*$/;

/** Whether a tenant may be called so: nothing that could be taken for a part of another's names, and never the operator. */
export function isTenantId(tenant: string): boolean {
  return tenant.length <= 64 && tenantPattern.test(tenant) && tenant !== "operator";
}

/** Throws AppError `invalid_request`. */
export function requireTenant(tenant: string): void {
  if (isTenantId(tenant)) return;
  throw new AppError("invalid", "invalid_request", "The tenant's id is not valid.", {
    details: { problems: [{ path: "tenant_id", message: "must be letters, digits and single hyphens" }] },
  });
}

/** The name of a tenant's agent in the runtime. */
export const runtimeNameOf = (tenant: string, name: string) => `t_${tenant}__${name}`;

/** Whose agent a runtime name means; undefined when it is none. */
export function tenantOfName(runtimeName: string): string | undefined {
  const [, tenant] = /^t_([0-9A-Za-z-]{1,64})__/.exec(runtimeName) ?? [];
  return tenant !== undefined && isTenantId(tenant) ? tenant : undefined;
}

function wrongName(runtimeName: string): AppError {
  const message = "must be t_<tenant_id>__<name>, with the name of the manifest";
  return new AppError("unprocessable", "invalid_runtime_name", `${runtimeName} ${message}.`, {
    details: { problems: [{ path: "metadata.name", message }] },
  });
}

/** Every model the agent may call, with the role it has: its own first, as they are kept. */
function candidatesOf({ candidates, manifest }: RunnableAgent): RegisteredAgent["candidates"] {
  const { model } = manifest.spec;
  const roles = Object.entries(model?.roles ?? {});
  const declared = roles.reduce((sum, [, role]) => sum + role.candidates.length, 0);
  const isRehearsed = model !== undefined && candidates.length !== declared + modelCandidates(model).length;
  const counts = roles.map(([role, { candidates: own }]) => ({ role, count: isRehearsed ? 1 : own.length }));
  const ofRoles = counts.flatMap(({ role, count }) => Array.from({ length: count }, () => role));
  const own = candidates.length - ofRoles.length;
  return candidates.map(({ provider, model: name }, index) => ({
    provider,
    model: name,
    role: index < own ? "main" : (ofRoles[index - own] ?? "main"),
  }));
}

/** The agents that its tools and its chain let work. */
function referencesOf(manifest: AgentManifest): string[] {
  const tools = manifest.spec.tools.flatMap((tool) => (tool.type === "agent" ? [tool.config.agent] : []));
  const links = targetsOf(manifest).map(({ name }) => name);
  return [...new Set([...tools, ...links])].filter((name) => name !== manifest.metadata.name);
}
