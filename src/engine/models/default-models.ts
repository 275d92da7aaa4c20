import type { Problem } from "../../kit/app-error.ts";
import type { ModelBlock } from "../../manifest/agent/model.ts";
import type { ModelSources } from "./model-sources.ts";
import { findProviderKind } from "./providers/registry.ts";
import type { StrategyName } from "./strategies/strategies.ts";

/** The candidates of agents without `spec.model`. */
export interface DefaultModels {
  blocks: readonly ModelBlock[];
  strategy?: StrategyName;
  /** Path of a candidate in its file, for problems. */
  pathOf(index: number): string;
}

/**
 * The models of an agent without `spec.model`. The first of these that exists: `spec.model_defaults` of runtime.yaml, `default` of
 * providers.yaml, the first provider of providers.yaml that has its key and a default model, the servers named in the environment.
 */
export function defaultModels(sources: ModelSources): DefaultModels {
  const { defaults, file } = sources;
  if (defaults !== undefined) {
    const model = defaults.model ?? modelOf(defaults.provider, sources);
    const blocks = model === undefined ? [] : [blockOf(defaults.provider, model)];
    return { blocks, pathOf: () => defaultsPath };
  }
  if (file?.default !== undefined) {
    const { candidates, strategy } = file.default;
    return { blocks: candidates, strategy, pathOf: (at) => `providers.yaml default.candidates[${at}]` };
  }
  for (const name of Object.keys(file?.providers ?? {})) {
    const model = missingVariable(name, sources) === undefined ? modelOf(name, sources) : undefined;
    if (model !== undefined) {
      return { blocks: [blockOf(name, model)], pathOf: () => `providers.yaml providers.${name}` };
    }
  }
  return { blocks: environmentBlocks(sources), pathOf: () => "spec.model" };
}

/** The reason why there is no default model, and how to fix it. */
export function noDefaultModel(sources: ModelSources): Problem {
  const { defaults, file } = sources;
  if (defaults !== undefined) {
    const message = `names ${defaults.provider}, which has no default model; add \`model\` to it`;
    return { path: defaultsPath, message };
  }
  const unset = Object.keys(file?.providers ?? {}).flatMap((name) => missingVariable(name, sources) ?? []);
  const mend =
    "name one in spec.model.primary, in spec.model_defaults of runtime.yaml or in `default` of providers.yaml, or set " +
    (unset.length === 0 ? "LOCAL_MODEL_HOST or HOSTED_LLM_API_KEY" : unset.join(" or "));
  return { path: "spec.model", message: `is missing: ${mend}` };
}

const defaultsPath = "runtime.yaml spec.model_defaults";

/** Default candidates from the environment: the local model first. The strategy chooses by price. */
function environmentBlocks(sources: ModelSources): ModelBlock[] {
  const { local, hosted } = sources;
  const away = hosted === undefined ? undefined : modelOf("openai", sources);
  // With a hosted server present, a local server without models is left out, because each call to it would fail first.
  const home = hosted === undefined && local !== undefined ? modelOf("ollama", sources) : local?.models[0];
  return [
    ...(home === undefined ? [] : [blockOf("ollama", home)]),
    ...(away === undefined ? [] : [blockOf("openai", away)]),
  ];
}

/** The default model of a provider: the first of its entry, the first that its server lists, or the built-in default of its kind. */
function modelOf(provider: string, { file, local, hosted }: ModelSources): string | undefined {
  const entries = file?.providers ?? {};
  const entry = Object.hasOwn(entries, provider) ? entries[provider] : undefined;
  const kind = findProviderKind(entry?.type ?? provider);
  const usual = kind?.defaultModel;
  if (entry !== undefined) return entry.models?.[0] ?? usual;
  if (kind?.name === "ollama") return local?.models[0] ?? usual;
  const listed = (kind?.name === "openai" && hosted?.models) || [];
  // Another vendor's server lists its own models. The built-in default is used only if it is among them.
  return usual !== undefined && (listed.length === 0 || listed.includes(usual)) ? usual : listed[0];
}

/** The unset variable that an entry needs for its key; undefined if none is missing. */
function missingVariable(name: string, { file, variable }: ModelSources): string | undefined {
  const entry = file?.providers[name];
  if (entry?.api_key_env === undefined || variable(entry.api_key_env)?.trim()) return undefined;
  return entry.api_key_env;
}

function blockOf(provider: string, model: string): ModelBlock {
  return { provider, model, timeout_seconds: 120, parameters: {} };
}
