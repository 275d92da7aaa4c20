import type { ModelBlock } from "../../manifest/model.ts";
import type { ProvidersFile } from "../../manifest/providers-file.ts";
import type { LimitSetter } from "./judge-call.ts";
import type { ProviderPorts } from "./providers/provider-ports.ts";

/** A server that the environment names, with the models that it listed when it was asked, if it answered. */
export interface ConfiguredServer {
  endpoint: string;
  apiKey?: string;
  models: readonly string[];
  /** The variable that holds the key. */
  keyVariable?: string;
  /** The operator never named it for this installation: tenants may use it only where `spec.tenants.providers` says so. */
  isFound?: boolean;
}

/** Where models come from besides an agent's own manifest. Values, not names: nothing here reads the environment. */
export interface ModelSources {
  /** providers.yaml, where there is one, and over it what the owner set up through the API. */
  file?: Pick<ProvidersFile, "providers" | "default">;
  /** `spec.model_defaults` of runtime.yaml. */
  defaults?: { provider: string; model?: string };
  /** LOCAL_MODEL_HOST, or a local server that answered on its default port. */
  local?: ConfiguredServer;
  /** HOSTED_LLM_API_KEY and HOSTED_LLM_ENDPOINT, or else OPENAI_API_KEY. */
  hosted?: ConfiguredServer;
  /** The keys of those entries of `file` that the owner set up through the API, and that have none by a variable. */
  stored?: { find(provider: string): object | undefined; keyOf(provider: string): string | undefined };
  /** The variable of that name, for `api_key_env`. */
  variable: (name: string) => string | undefined;
}

export interface ResolveOptions {
  sources: ModelSources;
  ports: ProviderPorts;
  /** Puts the rehearsal in the place of every candidate. */
  rehearse?: boolean;
  /** Other options for a block that is not to be resolved with these; undefined: these. */
  optionsOf?: (block: ModelBlock) => ResolveOptions | undefined;
  /** The tenant that the agent belongs to, when it calls by a key or an address of its own. */
  account?: string;
  /** Who chose the time limits of these blocks; absent: the operator. */
  limitBy?: LimitSetter;
}
