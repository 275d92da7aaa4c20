import type { RegisteredAgent } from "../../../contracts/runtime/agents.ts";
import type { RuntimeClient } from "../../../contracts/runtime/client.ts";
import { registerAgent, runtimeFailed } from "../../../control-plane/agents/register-agent.ts";
import { AppError } from "../../../kit/app-error.ts";
import { LatestMap } from "../../../kit/latest-map.ts";
import type { PlatformStorage } from "../tables.ts";
import { findLiveAgent, type LiveAgent } from "./find-live-agent.ts";

/** An agent that the runtime can run, with all models that it and its sub-agents may call. */
export interface ReadyAgent {
  runtimeName: string;
  candidates: RegisteredAgent["candidates"];
}

/** A version that is tried beside the one in service, with a name in the runtime and a memory of its own. */
export interface Candidate extends LiveAgent {
  /** Replaces the tenant in the name. */
  namespace: string;
  /** Owner of its memory. */
  memoryId: string;
}

const isCandidate = (agent: LiveAgent): agent is Candidate => "namespace" in agent;

/** Name of a tenant's agent in the runtime. */
export const runtimeNameOf = (tenantId: string, name: string) => `t_${tenantId}__${name}`;

interface RegistrationDeps {
  storage: PlatformStorage;
  runtime: Pick<RuntimeClient, "register">;
}

const knownMax = 10_000;

/** Keeps the runtime's agents up to date: registers an agent when it is needed and has changed. */
export class Registrations {
  readonly #deps: RegistrationDeps;
  /** Registrations known to this process. Registering again costs one call. */
  readonly #known = new LatestMap<string, { agentId: string; registered: RegisteredAgent }>(knownMax);

  constructor(deps: RegistrationDeps) {
    this.#deps = deps;
  }

  /**
   * Registers the agent and all of its sub-agents, each once. Throws AppError `agent_not_loaded` (502) if the runtime can't run one of
   * them, `runtime_failed` (502) if it can't be reached.
   */
  async ready(agent: LiveAgent): Promise<ReadyAgent> {
    const candidates: RegisteredAgent["candidates"] = [];
    const agents = new Map([[agent.name, agent]]);
    for (const one of agents.values()) {
      const registered = await this.#register(one);
      candidates.push(...registered.candidates);
      for (const name of registered.references) {
        if (agents.has(name)) continue;
        const other = await findLiveAgent(this.#deps.storage, agent.tenantId, name);
        if (other === undefined)
          throw notLoaded(one.name, `it needs the agent ${name}, which does not exist`);
        agents.set(name, other);
      }
    }
    return { runtimeName: this.runtimeNameOf(agent), candidates };
  }

  /** Name of a version in the runtime. */
  runtimeNameOf(agent: LiveAgent): string {
    const { tenantId, name } = agent;
    return isCandidate(agent) ? `${agent.namespace}__${name}` : runtimeNameOf(tenantId, name);
  }

  /** Forgets one registration, which the runtime may have lost. */
  drop(agent: LiveAgent): void {
    this.#known.delete(this.runtimeNameOf(agent));
  }

  /** Forgets a tenant's registrations, which the runtime may have lost. The agents are registered again when needed. */
  forget(tenantId: string): void {
    const prefix = runtimeNameOf(tenantId, "");
    for (const name of this.#known.keys()) if (name.startsWith(prefix)) this.#known.delete(name);
  }

  /** Registers the agent and its sub-agents again, because the runtime has lost them or has another version. */
  async pushAgain(agent: LiveAgent): Promise<void> {
    this.forget(agent.tenantId);
    this.drop(agent);
    await this.ready(agent);
  }

  async #register(agent: LiveAgent): Promise<RegisteredAgent> {
    const { tenantId, name, checksum, spec } = agent;
    const runtimeName = this.runtimeNameOf(agent);
    const id = isCandidate(agent) ? agent.memoryId : agent.id;
    const known = this.#known.get(runtimeName);
    if (known?.agentId === id && known.registered.checksum === checksum) return known.registered;
    const registered = await registerAgent(
      this.#deps.runtime,
      runtimeName,
      {
        tenant_id: tenantId,
        agent_id: id,
        name,
        ...(isCandidate(agent) && { namespace: agent.namespace }),
        checksum,
        spec,
      },
      {
        refused: (error) =>
          error.kind === "invalid" || error.kind === "unprocessable"
            ? notLoaded(name, error.message, error)
            : undefined,
        failed: tenantRuntimeFailed,
      },
    );
    this.#known.set(runtimeName, { agentId: id, registered });
    return registered;
  }
}

function notLoaded(name: string, reason: string, cause?: unknown): AppError {
  return new AppError("upstream_failed", "agent_not_loaded", `Agent ${name} could not be loaded: ${reason}`, {
    cause,
  });
}

/** For a runtime that could not be reached or broke the connection. */
export const tenantRuntimeFailed = (cause: unknown) => runtimeFailed(cause, "; the run is not charged.");
