import type { RunOverride } from "../../contracts/daemon/runs/run-override.ts";
import type { ModelBlock, ModelSection } from "../../manifest/agent/model.ts";
import { defaultModels } from "./default-models.ts";
import type { ModelSources } from "./model-sources.ts";
import { canonicalProvider, findProviderKind } from "./providers/registry.ts";

/**
 * The models of an agent with another primary model or other sampling for one run. If the override names a model, there are no fallbacks.
 * Undefined if neither the agent, the defaults nor the override names a model.
 */
export function overrideModels(
  section: ModelSection | undefined,
  override: RunOverride,
  sources: ModelSources,
): ModelSection | undefined {
  const base = section ?? defaultSection(sources);
  const { provider = base?.primary.provider, model = base?.primary.model } = override;
  if (provider === undefined || model === undefined) return undefined;
  const isNamed = override.provider !== undefined || override.model !== undefined;
  const sampled = (block: ModelBlock): ModelBlock => ({
    ...block,
    parameters: { ...block.parameters, ...samplingOf(override) },
  });
  const { roles = {}, routing = { health_check_interval: 30 } } = base ?? {};
  const primary = sampled(primaryOf(base?.primary, { provider, model }, sources));
  if (base === undefined || isNamed) return { primary, fallbacks: [], routing, roles };
  return {
    ...base,
    primary,
    ...(base.fallback === undefined ? {} : { fallback: sampled(base.fallback) }),
    fallbacks: base.fallbacks.map(sampled),
  };
}

/** The default models as a model section, for an agent without `spec.model`. */
function defaultSection(sources: ModelSources): ModelSection | undefined {
  const {
    blocks: [primary, ...fallbacks],
    strategy,
  } = defaultModels(sources);
  if (primary === undefined) return undefined;
  return {
    primary,
    fallbacks,
    routing: { health_check_interval: 30, ...(strategy === undefined ? {} : { strategy }) },
    roles: {},
  };
}

/**
 * The agent's own block without the settings that don't apply to the model: address and key belong to a provider, the context window to a
 * model.
 */
function primaryOf(
  own: ModelBlock | undefined,
  named: Pick<ModelBlock, "provider" | "model">,
  sources: ModelSources,
): ModelBlock {
  const { model } = named;
  const provider = canonicalProvider(named.provider);
  if (own === undefined) return { provider, model, timeout_seconds: 120, parameters: {} };
  const { context_window: _, ...rest } = own;
  if (canonicalProvider(own.provider) === provider) return own.model === model ? own : { ...rest, model };
  const entries = sources.file?.providers ?? {};
  const entry = Object.hasOwn(entries, provider) ? entries[provider] : undefined;
  const known = findProviderKind(entry?.type ?? provider)?.parametersAt(entry?.endpoint) ?? [];
  const parameters = Object.fromEntries(
    Object.entries(own.parameters).filter(([name]) => known.some((one) => one === name)),
  );
  return { provider, model, timeout_seconds: own.timeout_seconds, parameters };
}

function samplingOf({ temperature, top_p, max_tokens }: RunOverride): ModelBlock["parameters"] {
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(top_p === undefined ? {} : { top_p }),
    ...(max_tokens === undefined ? {} : { max_tokens }),
  };
}
