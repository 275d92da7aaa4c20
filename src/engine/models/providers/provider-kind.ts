import type { LimitSetter } from "../judge-call.ts";
import type { Model, ModelParameters } from "../model.ts";
import type { ProviderPorts } from "./provider-ports.ts";

/** What a model is built from, put together from manifest, providers.yaml and environment. */
export interface ProviderOptions {
  /** The name it was called by: the kind's, or that of an entry of providers.yaml. */
  provider: string;
  model: string;
  /** As the operator wrote it; present when the kind needs one. */
  endpoint?: string;
  apiKey?: string;
  /** See `Model.account`. */
  account?: string;
  timeoutMs: number;
  /** Who chose `timeoutMs`; absent: the operator. */
  limitBy?: LimitSetter;
  /** Tokens; undefined for the kind's default. */
  contextWindow?: number;
  parameters: ModelParameters;
}

/** One kind of provider: what may be said about it, and how a model of it is built. */
export interface ProviderKind {
  name: string;
  aliases: readonly string[];
  /** One line for the reference. */
  docs: string;
  /** Whether it runs on the operator's own machines: priced zero. */
  local: boolean;
  /** Whether it speaks to a server whose address somebody has to give. */
  needsEndpoint: boolean;
  defaultEndpoint?: string;
  /** Whether its default endpoint takes no call without a key. */
  needsKey: boolean;
  /** The model of agents that name none; absent where no model can be supposed. */
  defaultModel?: string;
  /** The parameters it honours at an endpoint, by default its own; declaring another refuses the agent. */
  parametersAt(endpoint?: string): readonly (keyof ModelParameters)[];
  /** What is wrong with an endpoint, as the end of a sentence; undefined when it can be used. */
  endpointFault?(endpoint: string): string | undefined;
  /** What is wrong with a model's name, as the end of a sentence; undefined when it can be used. */
  modelFault?(model: string, ports: ProviderPorts): string | undefined;
  /** The model, or AppError `invalid` when the options can't work. */
  build(options: ProviderOptions, ports: ProviderPorts): Model;
  /** The models that a server has; absent for kinds without a server. */
  listModels?(
    options: Pick<ProviderOptions, "provider" | "endpoint" | "apiKey" | "timeoutMs">,
    ports: ProviderPorts,
    signal: AbortSignal,
  ): Promise<string[]>;
}
