import { defaultModels } from "../../../../engine/models/default-models.ts";
import type { ModelSources, ResolveOptions } from "../../../../engine/models/model-sources.ts";
import { canonicalProvider, findProviderKind } from "../../../../engine/models/providers/registry.ts";
import type { GuardedNetwork } from "../../../../engine/tools/network/guarded-network.ts";
import type { ModelBlock } from "../../../../manifest/agent/model.ts";

/** Maximum time before an answer's headers; the model's own time limit applies as well. */
const headTimeoutMs = 3_600_000;

/** Models that the operator lets tenants call with the operator's keys. */
export interface TenantModels {
  sources: ModelSources;
  /** Names that a manifest may use without an endpoint. */
  providers: readonly string[];
  isConfigured: (block: ModelBlock) => boolean;
  /** Returns true for models that the operator has listed. Tenants choose all other names, so they must not become metric labels. */
  isListed: (provider: string, model: string) => boolean;
}

/** Selects the operator's sources that tenants may use: all of them, or those in `allowed` (`spec.tenants.providers`). */
export function tenantModels(
  { file, stored, local, hosted, variable, defaults }: ModelSources,
  allowed: readonly string[] | undefined,
  rehearse: boolean,
): TenantModels {
  const named = allowed?.map(canonicalProvider);
  const mayUse = (name: string) => named === undefined || named.includes(canonicalProvider(name));
  const entries = Object.entries(file?.providers ?? {}).filter(
    // The model name of an onnx provider selects a file, so only models that the operator has listed are allowed.
    ([name, { type, models }]) =>
      mayUse(name) &&
      // Providers set up through the API belong to the owner.
      stored?.find(name) === undefined &&
      (findProviderKind(type)?.name !== "onnx" || models !== undefined),
  );
  const names = new Set(entries.map(([name]) => name));
  const usesLocal = local !== undefined && mayUse("ollama");
  const usesHosted =
    hosted !== undefined &&
    (hosted.isFound === true ? allowed?.includes("openai") === true : mayUse("openai"));
  const kinds = [...(usesLocal ? ["ollama"] : []), ...(usesHosted ? ["openai"] : [])];
  const fallback = file?.default;
  const mayDefault = fallback?.candidates.every(({ provider }) => mayUse(provider));
  const sources: ModelSources = {
    variable,
    file: {
      providers: Object.fromEntries(entries),
      ...(mayDefault === true && fallback !== undefined && { default: fallback }),
    },
    ...(defaults !== undefined && mayUse(defaults.provider) && { defaults }),
    ...(usesLocal && { local }),
    ...(usesHosted && { hosted }),
  };
  const endpointOf = (provider: string): string | undefined => {
    const entry = names.has(provider) ? sources.file?.providers[provider] : undefined;
    if (entry !== undefined) return entry.endpoint ?? findProviderKind(entry.type)?.defaultEndpoint;
    return findProviderKind(provider)?.name === "ollama" ? local?.endpoint : hosted?.endpoint;
  };
  const known = new Set<string>([...names, ...kinds]);
  let defaultBlocks: readonly ModelBlock[] | undefined;
  /** Asked several times in each run: the sources are values, and finding the default reads variables of the environment. */
  const isDefault = (provider: string, model: string): boolean => {
    defaultBlocks ??= defaultModels(sources).blocks;
    return defaultBlocks.some((one) => one.provider === provider && one.model === model);
  };
  return {
    sources,
    providers: [...known],
    isConfigured({ provider: named, endpoint }) {
      const provider = canonicalProvider(named);
      if (rehearse || provider === "rehearsal") return true;
      if (!known.has(provider)) return false;
      return endpoint === undefined || isSameAddress(endpoint, endpointOf(provider));
    },
    isListed: (provider, model) =>
      provider === "rehearsal" ||
      sources.file?.providers[provider]?.models?.includes(model) === true ||
      isDefault(provider, model),
  };
}

/**
 * Options for the models of one tenant. Models that the operator has not configured are called through the guarded network, without any
 * key.
 */
export function tenantResolving(
  usual: ResolveOptions,
  { sources, isConfigured }: TenantModels,
  network: GuardedNetwork,
  tenant: string,
): ResolveOptions {
  const defaults = new Set<ModelBlock>(sources.file?.default?.candidates ?? []);
  const own: ResolveOptions = {
    sources: { variable: () => undefined },
    ports: {
      clock: usual.ports.clock,
      newId: usual.ports.newId,
      fetch: (url, init) => network.fetch(url, init, { headTimeoutMs, redirectsMax: 0 }),
    },
    account: tenant,
    limitBy: "caller",
  };
  return {
    ...usual,
    sources,
    limitBy: "caller",
    optionsOf: (block) => (defaults.has(block) || isConfigured(block) ? undefined : own),
  };
}

function isSameAddress(one: string, other: string | undefined): boolean {
  return other !== undefined && one.replace(/\/+$/, "") === other.replace(/\/+$/, "");
}
