import type { RegisterAgent, RegisteredAgent } from "../../../contracts/runtime/agents.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { AgentManifest } from "../../../manifest/agent/agent.ts";
import { targetsOf } from "../../../manifest/agent/check-chains.ts";
import { modelCandidates } from "../../../manifest/agent/model.ts";
import { BuiltAgents, runtimeNameOf, type TenantAgent } from "./built-agents.ts";

export interface TenantAgentsPorts {
  /**
   * Prepares an agent under the policy for tenants; the returned function builds it. Both throw AppError `invalid_manifest` with every
   * problem.
   */
  prepare(tenant: string, spec: unknown, keys: "own" | undefined): Promise<() => RunnableAgent>;
  /** Another value after each change of the operator's providers, with which agents are built anew; absent: they never change. */
  revision?: () => unknown;
  /** Receives a tenant's current agents. */
  serve(tenant: string, agents: readonly RunnableAgent[]): void;
}

/** Maximum number of agents kept ready. The least recently used one is dropped first and registered again when needed. */
const agentsMax = 5000;

/**
 * Agents of all tenants; each is visible to its own tenant only. They are kept in memory, so the control plane registers them again after a
 * restart.
 */
export class TenantAgents {
  readonly #ports: TenantAgentsPorts;
  readonly #max: number;
  /** The agents that are built. */
  readonly built: BuiltAgents;
  /** Agents that are built at their first run, by runtime name. */
  readonly #deferred = new Map<string, RegisterAgent>();

  constructor(ports: TenantAgentsPorts, max = agentsMax, built = new BuiltAgents()) {
    this.#ports = ports;
    this.built = built;
    this.#max = max;
  }

  /** Builds and registers the agent, unless the same version is already registered. */
  async register(runtimeName: string, given: RegisterAgent): Promise<RegisteredAgent> {
    const { tenant_id: tenant, agent_id: agentId, name, namespace, keys, checksum, spec } = given;
    requireTenant(tenant);
    const due = namespace === undefined ? runtimeNameOf(tenant, name) : `${namespace}__${name}`;
    if (runtimeName !== due) throw wrongName(runtimeName);
    const known = () => {
      const builtAgent = this.built.get(runtimeName);
      const isSame =
        builtAgent?.checksum === checksum &&
        builtAgent.agentId === agentId &&
        builtAgent.tenant === tenant &&
        this.#isCurrent(builtAgent);
      return isSame ? builtAgent.registered : undefined;
    };
    const before = known();
    if (before !== undefined) return { ...before, status: "unchanged" };
    if (given.deferred === true) {
      this.remove(runtimeName);
      this.#deferred.set(runtimeName, given);
      this.#makeRoom();
      return { runtime_name: runtimeName, checksum, candidates: [], references: [], status: "registered" };
    }
    const revision = this.#ports.revision?.();
    const build = await this.#ports.prepare(tenant, spec, keys);
    // Another request may have registered it meanwhile.
    const meanwhile = known();
    if (meanwhile !== undefined) return { ...meanwhile, status: "unchanged" };
    const built = build();
    if (built.name !== name) throw wrongName(runtimeName);
    const agent: RunnableAgent = { ...built, memoryId: agentId };
    const registered = {
      runtime_name: runtimeName,
      checksum,
      candidates: candidatesOf(agent),
      references: referencesOf(agent.manifest),
    };
    this.#deferred.delete(runtimeName);
    this.built.use(runtimeName, {
      tenant,
      name,
      agentId,
      checksum,
      agent,
      ...(keys && { keys }),
      registered,
      revision,
    });
    this.#makeRoom();
    this.#serve(tenant);
    return { ...registered, status: "registered" };
  }

  /** Like `current`, and builds a deferred agent first. One that can't be built any more is not registered. */
  async ready(runtimeName: string, checksum: string): Promise<TenantAgent> {
    await this.build(runtimeName);
    return this.current(runtimeName, checksum);
  }

  /** Builds an agent that is to be built at its first run. One that can't be built any more is not registered. */
  async build(runtimeName: string): Promise<void> {
    const due = this.#deferred.get(runtimeName);
    if (due === undefined) return;
    const { deferred: _, ...given } = due;
    await this.register(runtimeName, given).catch(() => this.#deferred.delete(runtimeName));
  }

  /** Like `built.find`, but not an agent that was built with other providers and has to be registered again. */
  findCurrent(tenant: string, name: string): TenantAgent | undefined {
    const builtAgent = this.built.find(tenant, name);
    return builtAgent !== undefined && this.#isCurrent(builtAgent) ? builtAgent : undefined;
  }

  /**
   * Returns the agent to run. Throws AppError `agent_not_found`, also for one that was built with other providers and has to be registered
   * again, or `agent_outdated` if another version is registered.
   */
  current(runtimeName: string, checksum: string): TenantAgent {
    const builtAgent = this.built.get(runtimeName);
    if (builtAgent === undefined || !this.#isCurrent(builtAgent)) {
      throw new AppError("not_found", "agent_not_found", "No agent is registered under this name.");
    }
    if (builtAgent.checksum !== checksum) {
      throw new AppError("conflict", "agent_outdated", "Another version of this agent is registered.");
    }
    this.built.use(runtimeName, builtAgent);
    return builtAgent;
  }

  /** Runtime names and checksums of all agents. */
  names(): { runtime_name: string; checksum: string }[] {
    const built = [...this.built.entries()].map(([name, { checksum }]) => ({ runtime_name: name, checksum }));
    const deferred = [...this.#deferred].map(([name, { checksum }]) => ({ runtime_name: name, checksum }));
    return [...built, ...deferred];
  }

  /** Removes the agent; undefined if it is not registered. */
  remove(runtimeName: string): TenantAgent | undefined {
    this.#deferred.delete(runtimeName);
    const builtAgent = this.built.get(runtimeName);
    if (builtAgent === undefined) return undefined;
    this.built.delete(runtimeName);
    this.#serve(builtAgent.tenant);
    return builtAgent;
  }

  /** Reports a tenant's agents again, to release resources opened for an agent that is not among them. */
  tidy(tenant: string): void {
    this.#serve(tenant);
  }

  #isCurrent({ revision }: TenantAgent): boolean {
    return revision === this.#ports.revision?.();
  }

  #makeRoom(): void {
    for (const [oldest, { tenant }] of this.built.entries()) {
      if (this.built.size <= this.#max) break;
      this.built.delete(oldest);
      this.#serve(tenant);
    }
    for (const oldest of this.#deferred.keys()) {
      if (this.#deferred.size <= this.#max) return;
      this.#deferred.delete(oldest);
    }
  }

  #serve(tenant: string): void {
    this.#ports.serve(
      tenant,
      this.built.of(tenant).map(({ agent }) => agent),
    );
  }
}

const tenantPattern = /^[0-9A-Za-z]+(?:-[0-9A-Za-z]+)*$/;

/** Returns true for a valid tenant id: one that can't be part of another tenant's names, and is not `operator`. */
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

/** Returns the tenant of a runtime name; undefined if the name is not valid. */
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

/** Models that the agent may call, with their roles; its own first, in order. */
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

/** Agents that its tools and its chain call. */
function referencesOf(manifest: AgentManifest): string[] {
  const tools = manifest.spec.tools.flatMap((tool) => (tool.type === "agent" ? [tool.config.agent] : []));
  const links = targetsOf(manifest).map(({ name }) => name);
  return [...new Set([...tools, ...links])].filter((name) => name !== manifest.metadata.name);
}
