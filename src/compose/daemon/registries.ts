import { guardrailKinds } from "../../engine/guardrails/registry.ts";
import { providerNames } from "../../engine/models/providers/registry.ts";
import { patterns } from "../../engine/orchestration/patterns/registry.ts";
import { boundToolTypes } from "../../engine/tools/bind-tools.ts";
import { builtinToolRows } from "../../engine/tools/builtin/registry.ts";
import type { ManifestRegistries } from "../../manifest/schema/registries.ts";
import { embedderNames } from "../../retrieval/embedding/create-embedders.ts";
import { vectorStoreNames } from "../../retrieval/stores/vector-stores.ts";
import type { Config } from "../settings/config.ts";

/** Values in a manifest that this executable supports under this configuration. */
export function registriesOf({
  providers,
  runtime,
}: Pick<Config, "providers" | "runtime">): ManifestRegistries {
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
