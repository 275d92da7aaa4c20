import type { Provider, ProviderList } from "../../../contracts/daemon/models/providers.ts";
import type { Breakers } from "../../../engine/models/breakers.ts";
import { findProviderKind } from "../../../engine/models/providers/registry.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { ModelCatalog } from "../providers/model-catalog.ts";
import { presentCircuit, reasonOf, statusOf } from "./provider-circuits.ts";
import { providerModels } from "./provider-models.ts";

interface ListDeps {
  breakers: Breakers;
  catalog: AgentCatalog;
  clock: Clock;
  modelCatalog: ModelCatalog;
}

/** Lists providers that are configured, named by a loaded agent, or were called. Sends no requests to them. */
export function listProviders(deps: ListDeps): ProviderList {
  const { breakers, modelCatalog } = deps;
  const models = providerModels(deps);
  const circuits = Map.groupBy(breakers.list(), ({ provider }) => provider);
  const configured = configuredNames(modelCatalog);
  const names = new Set([...configured.keys(), ...models.keys(), ...circuits.keys()]);
  return {
    rehearsing: modelCatalog.rehearsing,
    providers: [...names].sort().map((name): Provider => {
      const own = circuits.get(name) ?? [];
      const type = typeOf(deps, name);
      const reason = reasonOf(own);
      return {
        name,
        type,
        configured: configured.get(name) ?? "agent",
        local: findProviderKind(type)?.local ?? false,
        status: statusOf(own),
        ...(reason === undefined ? {} : { reason }),
        models: models.get(name) ?? [],
        circuits: own.map((circuit) => presentCircuit(circuit, deps.clock)),
      };
    }),
  };
}

function configuredNames({ sources }: ListDeps["modelCatalog"]): Map<string, Provider["configured"]> {
  const { file, stored, local, hosted } = sources;
  const names = new Map<string, Provider["configured"]>();
  if (local) names.set("ollama", "environment");
  if (hosted) names.set("openai", "environment");
  for (const name of Object.keys(file?.providers ?? {}))
    names.set(name, stored?.find(name) === undefined ? "file" : "stored");
  return names;
}

function typeOf({ modelCatalog: { sources } }: ListDeps, name: string): string {
  const entries = sources.file?.providers ?? {};
  const type = Object.hasOwn(entries, name) ? entries[name]?.type : undefined;
  return findProviderKind(type ?? name)?.name ?? name;
}
