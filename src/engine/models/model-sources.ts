import type { ModelBlock } from "../../manifest/agent/model.ts";
import type { ProvidersFile } from "../../manifest/files/providers-file.ts";
import type { LimitSetter } from "./judge-call.ts";
import type { ProviderPorts } from "./providers/provider-kind.ts";

/** A server named in the environment, with the models it listed if it answered. */
export interface ConfiguredServer {
  endpoint: string;
  apiKey?: string;
  models: readonly string[];
  /** Name of the variable with the key. */
  keyVariable?: string;
  /** True for a server that was detected, not configured. Tenants may use it only if `spec.tenants.providers` allows it. */
  isFound?: boolean;
}

/** Sources of models other than an agent's manifest. They are values: nothing here reads the environment. */
export interface ModelSources {
  /** Content of providers.yaml as it is now, if it exists. */
  file?: {
    readonly providers: ProvidersFile["providers"];
    readonly default?: ProvidersFile["default"] | undefined;
  };
  /** `spec.model_defaults` of runtime.yaml. */
  readonly defaults?: { provider: string; model?: string } | undefined;
  /** LOCAL_MODEL_HOST, or a local server that answered on its default port. */
  local?: ConfiguredServer;
  /** HOSTED_LLM_API_KEY and HOSTED_LLM_ENDPOINT, or else OPENAI_API_KEY. */
  hosted?: ConfiguredServer;
  /** The keys of those entries of `file` that the owner set up through the API, and that have none by a variable. */
  stored?: { find(provider: string): object | undefined; keyOf(provider: string): string | undefined };
  /** The variable of that name, for `api_key_env`. */
  variable: (name: string) => string | undefined;
  /**
   * The reason why no variable is sent to an address that files name, unless it is the provider's own; undefined if they are. Absent: they
   * are.
   */
  refusal?: () => string | undefined;
}

export interface ResolveOptions {
  sources: ModelSources;
  ports: ProviderPorts;
  /** Replaces every candidate with the rehearsal. */
  rehearse?: boolean;
  /** Returns different options for a block; undefined: these options apply. */
  optionsOf?: (block: ModelBlock) => ResolveOptions | undefined;
  /** The tenant of the agent, if it uses its own key or address. */
  account?: string;
  /** Origin of the time limits of these blocks; absent: the operator. */
  limitBy?: LimitSetter;
}
