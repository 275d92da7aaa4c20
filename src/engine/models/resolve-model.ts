import type { Problem } from "../../kit/app-error.ts";
import { redactText } from "../../kit/secrets/redact-text.ts";
import { didYouMean } from "../../kit/text/did-you-mean.ts";
import type { ModelBlock } from "../../manifest/agent/model.ts";
import type { ParametersStyle, ProvidersFile } from "../../manifest/files/providers-file.ts";
import type { Model, ModelParameters } from "./model.ts";
import type { ModelSources, ResolveOptions } from "./model-sources.ts";
import type { ProviderKind } from "./providers/provider-kind.ts";
import { canonicalProvider, findProviderKind, providerNames } from "./providers/registry.ts";

type ProviderEntry = ProvidersFile["providers"][string];

/** Builds one candidate, or returns the problems that prevent it, at `path`. */
export function resolveModel(
  given: ModelBlock,
  path: string,
  { sources, ports, account, limitBy }: ResolveOptions,
): { model?: Model; problems: Problem[] } {
  // Normalizes the names of provider and model, which tariffs, breakers and metrics use as keys.
  const block = { ...given, provider: canonicalProvider(given.provider), model: given.model.trim() };
  const problems: Problem[] = [];
  const problem = (key: string, message: string) => problems.push({ path: `${path}.${key}`, message });

  const providers = sources.file?.providers ?? {};
  const entry = Object.hasOwn(providers, block.provider) ? providers[block.provider] : undefined;
  const kind = findProviderKind(entry?.type ?? block.provider);
  if (!kind) {
    problem("provider", unknownProvider(entry?.type ?? block.provider, Object.keys(providers)));
    return { problems };
  }
  if (entry?.models?.includes(block.model) === false) {
    problem("model", `is not among the models of ${block.provider}: ${entry.models.join(", ")}`);
  }
  const modelFault = kind.modelFault?.(block.model, ports);
  if (modelFault !== undefined) problem("model", modelFault);
  const { endpoint, apiKey, keyVariable } = locate(block, entry, kind, sources);
  const refusal =
    keyVariable === undefined || !isOwnAddress(endpoint, block, entry, kind)
      ? undefined
      : sources.refusal?.();
  const parameters = kind.parametersAt(endpoint);
  for (const name of Object.keys(block.parameters) as (keyof ModelParameters)[]) {
    if (!parameters.includes(name)) {
      problem(`parameters.${name}`, `is not known to ${kind.name}; remove it`);
    }
  }
  if (kind.needsEndpoint && endpoint === undefined) {
    problem(
      "endpoint",
      `is missing: ${kind.name} needs the address of its server, here or in providers.yaml`,
    );
  }
  const fault = endpoint === undefined ? undefined : kind.endpointFault?.(endpoint);
  if (fault !== undefined) problem("endpoint", fault);
  if (refusal !== undefined) {
    const address = redactText(endpoint ?? "");
    problem("api_key_env", `names the variable ${keyVariable}, which is not sent to ${address}: ${refusal}`);
  } else if (keyVariable !== undefined && apiKey === undefined) {
    problem("api_key_env", `names the variable ${keyVariable}, which is not set; set it to the key`);
  } else if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    problem(
      "api_key_env",
      "leads to a key with characters that no HTTP header can carry; check the variable's value",
    );
  } else if (apiKey === undefined && kind.needsKey && endpoint === undefined) {
    const mend = kind.name === "openai" ? "set HOSTED_LLM_API_KEY or give api_key_env" : "give api_key_env";
    problem("api_key_env", `is missing: ${kind.name} takes no call without a key; ${mend}`);
  }
  if (problems.length > 0) return { problems };

  const parametersStyle = styleOf(block.model, entry);
  const contextWindow = block.context_window ?? entry?.context_window;
  const separate = account ?? block.api_key_env;
  const model = kind.build(
    {
      provider: block.provider,
      model: block.model,
      timeoutMs: block.timeout_seconds * 1000,
      ...(limitBy === undefined ? {} : { limitBy }),
      parameters: block.parameters,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(separate === undefined ? {} : { account: separate }),
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(entry?.thinking_tags === undefined ? {} : { thinkingTags: entry.thinking_tags }),
      ...(parametersStyle === undefined ? {} : { parametersStyle }),
    },
    ports,
  );
  return { model, problems };
}

function styleOf(model: string, entry: ProviderEntry | undefined): ParametersStyle | undefined {
  const style = entry?.parameters_style;
  if (style === undefined || typeof style === "string") return style;
  return Object.hasOwn(style, model) ? style[model] : style["*"];
}

interface Location {
  /** Undefined: the default of the kind. */
  endpoint?: string | undefined;
  apiKey?: string | undefined;
  /** Variable that should contain the key, if one is named. */
  keyVariable?: string | undefined;
}

/**
 * The endpoint and key of a model. A key is only sent to the endpoint it was configured with: if the block has its own endpoint, it uses
 * its own key or none.
 */
function locate(
  block: ModelBlock,
  entry: ProviderEntry | undefined,
  kind: ProviderKind,
  sources: ModelSources,
): Location {
  const keyOf = (variable: string | undefined): Location =>
    variable === undefined
      ? {}
      : { keyVariable: variable, apiKey: sources.variable(variable)?.trim() || undefined };
  const configured: Location = entry
    ? { endpoint: entry.endpoint, apiKey: sources.stored?.keyOf(block.provider), ...keyOf(entry.api_key_env) }
    : fromEnvironment(kind, sources);
  if (block.api_key_env !== undefined) {
    return { endpoint: block.endpoint ?? configured.endpoint, ...keyOf(block.api_key_env) };
  }
  if (
    block.endpoint === undefined ||
    isSameAddress(block.endpoint, configured.endpoint ?? kind.defaultEndpoint)
  ) {
    return configured;
  }
  return { endpoint: block.endpoint };
}

/** True if files name the address, and it isn't the provider's own. */
export function isOwnAddress(
  endpoint: string | undefined,
  block: Pick<ModelBlock, "endpoint">,
  entry: Pick<ProviderEntry, "endpoint"> | undefined,
  kind: Pick<ProviderKind, "defaultEndpoint"> | undefined,
): boolean {
  const isNamed = endpoint !== undefined && (endpoint === block.endpoint || endpoint === entry?.endpoint);
  return isNamed && !isSameAddress(endpoint, kind?.defaultEndpoint);
}

function isSameAddress(one: string, other: string | undefined): boolean {
  return other !== undefined && one.replace(/\/+$/, "") === other.replace(/\/+$/, "");
}

function fromEnvironment(kind: ProviderKind, { local, hosted }: ModelSources): Location {
  if (kind.name === "ollama" && local) return { endpoint: withScheme(local.endpoint) };
  if (kind.name === "openai" && hosted)
    return { endpoint: hosted.endpoint, apiKey: hosted.apiKey?.trim() || undefined };
  return {};
}

/** Adds a scheme to an address: hosts of local servers are often given as `host:port`. */
export function withScheme(endpoint: string): string {
  return /^[a-z]+:\/\//i.test(endpoint) ? endpoint : `http://${endpoint}`;
}

function unknownProvider(name: string, entries: readonly string[]): string {
  const names = [...entries, ...providerNames()];
  const nearest = didYouMean(name, names);
  const mend = nearest === undefined ? `there are ${names.join(", ")}` : `did you mean ${nearest}?`;
  return `names ${name}, which is not available in this version; ${mend}`;
}
