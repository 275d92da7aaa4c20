import type { AgentParts } from "../../../../engine/agents/build-agent.ts";
import { createRouters } from "../../../../engine/agents/build-agent.ts";
import type { RunnableAgent } from "../../../../engine/agents/runnable-agent.ts";
import type { ModelSources, ResolveOptions } from "../../../../engine/models/model-sources.ts";
import {
  canonicalProvider,
  findProviderKind,
  providerKinds,
} from "../../../../engine/models/providers/registry.ts";
import { resolveModels } from "../../../../engine/models/resolve-models.ts";
import { LatestMap } from "../../../../kit/latest-map.ts";
import type { ModelBlock } from "../../../../manifest/agent/model.ts";
import type { TenantModels } from "./tenant-models.ts";

/** Models of tenants that bring keys of their own. The operator's keys are never among them. */
export interface OwnKeyModels {
  /** Names that a manifest may use; the rehearsal works besides them. */
  providers: readonly string[];
  isConfigured: (block: ModelBlock) => boolean;
  /** Options for the models of one tenant, which call their vendors with `keys`. */
  resolving(usual: ResolveOptions, tenant: string, keys?: Readonly<Record<string, string>>): ResolveOptions;
}

/**
 * Vendors at the address that the operator configured for their type, else at their own, and the operator's local model server if tenants may
 * use it.
 */
export function ownKeyModels(all: ModelSources, shared: TenantModels): OwnKeyModels {
  const addresses = new Map<string, string>();
  for (const { name, needsKey, defaultEndpoint } of providerKinds) {
    const endpoint = needsKey
      ? (addressOf(all, name) ?? defaultEndpoint)
      : localAddress(shared.sources, name);
    if (endpoint !== undefined) addresses.set(name, endpoint);
  }
  const providers = Object.fromEntries(
    [...addresses].map(([name, endpoint]) => [name, { type: name, endpoint, prices: {} }]),
  );
  return {
    providers: [...addresses.keys()],
    isConfigured: ({ provider, endpoint }) =>
      endpoint === undefined &&
      (canonicalProvider(provider) === "rehearsal" || addresses.has(canonicalProvider(provider))),
    resolving: (usual, tenant, keys = {}) => ({
      ports: usual.ports,
      ...(usual.rehearse === undefined ? {} : { rehearse: usual.rehearse }),
      sources: {
        file: { providers },
        stored: {
          find: () => undefined,
          keyOf: (provider) => (Object.hasOwn(keys, provider) ? keys[provider] : undefined),
        },
        variable: () => undefined,
      },
      account: tenant,
      limitBy: "caller",
    }),
  };
}

/** Number of agents whose models are kept with their tenants' keys. */
const keptMax = 64;

/**
 * Agents with models for their tenants' keys. Those of the agents that ran last are kept, because building models costs more than most other
 * steps of a run, and because the models learn how fast their vendors are.
 */
export class OwnKeyAgents {
  /** By registered agent, the one that ran longest ago first. */
  readonly #kept = new LatestMap<RunnableAgent, { tenant: string; keys: string; made: RunnableAgent }>(
    keptMax,
  );

  get(
    tenant: string,
    agent: RunnableAgent,
    keys: Readonly<Record<string, string>>,
    make: () => RunnableAgent,
  ): RunnableAgent {
    const known = this.#kept.get(agent);
    const text = JSON.stringify(keys);
    const entry = known?.keys === text ? known : { tenant, keys: text, made: make() };
    this.#kept.set(agent, entry);
    return entry.made;
  }

  /** Forgets a tenant's agents, and their keys, that are no longer registered. */
  dropGone(tenant: string, served: readonly RunnableAgent[]): void {
    for (const [agent, kept] of this.#kept)
      if (kept.tenant === tenant && !served.includes(agent)) this.#kept.delete(agent);
  }
}

/** Returns the agent with models that call their vendors with `keys`. Its other parts are shared with the registered agent. */
export function withOwnKeys(agent: RunnableAgent, parts: AgentParts, models: ResolveOptions): RunnableAgent {
  const resolved = resolveModels(agent.manifest.spec.model, models);
  const candidates = [resolved, ...resolved.roles.values()].flatMap((choice) => choice.candidates);
  return { ...agent, candidates, strategy: resolved.strategy, routerFor: createRouters(resolved, parts) };
}

/** Returns the operator's address for a type of vendor. */
function addressOf({ file, hosted }: ModelSources, type: string): string | undefined {
  const entries = Object.values(file?.providers ?? {});
  const entry = entries.find(
    (one) => findProviderKind(one.type)?.name === type && one.endpoint !== undefined,
  );
  if (entry !== undefined) return entry.endpoint;
  return type === "openai" && hosted?.isFound !== true ? hosted?.endpoint : undefined;
}

/** Returns the address of the operator's own model server that tenants may use; only `ollama` is offered. */
function localAddress({ file, local }: ModelSources, type: string): string | undefined {
  if (type !== "ollama") return undefined;
  const entries = Object.values(file?.providers ?? {});
  const entry = entries.find((one) => findProviderKind(one.type)?.name === type);
  if (entry !== undefined) return entry.endpoint ?? findProviderKind(type)?.defaultEndpoint;
  return local && (/^[a-z]+:\/\//i.test(local.endpoint) ? local.endpoint : `http://${local.endpoint}`);
}
