import type { ProvidersFile } from "../../manifest/files/providers-file.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import type { ManifestRegistries } from "../../manifest/schema/registries.ts";
import { embedderNames } from "../../retrieval/embedding/create-embedders.ts";
import { vectorStoreNames } from "../../retrieval/stores/vector-stores.ts";
import { guardrailKinds } from "../guardrails/registry.ts";
import { providerNames } from "../models/providers/registry.ts";
import { patterns } from "../orchestration/patterns/registry.ts";
import { boundToolTypes } from "../tools/bind-tools.ts";
import { builtinToolRows } from "../tools/builtin/registry.ts";

/** Files of the operator that name what manifests may use. */
export interface RegistrySettings {
  providers: ProvidersFile;
  runtime: RuntimeFile;
}

/** Values in a manifest that this executable supports under this configuration. */
export function registriesOf({ providers, runtime }: RegistrySettings): ManifestRegistries {
  return {
    ...builtRegistries([...providerNames(), ...Object.keys(providers.providers)]),
    ...(runtime.spec.defaults?.orchestration === undefined
      ? {}
      : { orchestrationDefaults: runtime.spec.defaults.orchestration }),
  };
}

/** Values in a manifest that this executable supports under any configuration. */
export function builtRegistries(providers: readonly string[] = providerNames()): ManifestRegistries {
  return {
    providers,
    patterns: [...patterns.keys()],
    memoryStrategies: ["sliding_window", "token_budget", "summary"],
    conversationalBackends: ["sqlite", "postgres", "redis", "memory"],
    semanticBackends: vectorStoreNames,
    episodicBackends: ["sqlite", "postgres"],
    embedders: embedderNames,
    guardrails: guardrailKinds,
    builtinTools: builtinToolRows,
    toolTypes: boundToolTypes,
    channels: new Map(),
  };
}
