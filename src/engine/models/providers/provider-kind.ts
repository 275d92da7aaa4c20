import type { Clock } from "../../../kit/clock.ts";
import type { NewId } from "../../../kit/id.ts";
import type { ParametersStyle } from "../../../manifest/files/providers-file.ts";
import type { OnnxRuntime } from "../../../onnx/onnx-runtime.ts";
import type { TemplateEngine } from "../../templates/template.ts";
import type { LimitSetter } from "../judge-call.ts";
import type { Model, ModelParameters } from "../model.ts";
import type { LearnedDialects } from "./openai/learned-dialect.ts";

/** Options of a model, from manifest, providers.yaml and environment. */
export interface ProviderOptions {
  /** The configured name: that of the kind or of an entry in providers.yaml. */
  provider: string;
  model: string;
  /** The operator's text; present if the kind needs an endpoint. */
  endpoint?: string;
  apiKey?: string;
  /** See `Model.account`. */
  account?: string;
  timeoutMs: number;
  /** Origin of `timeoutMs`; absent: the operator. */
  limitBy?: LimitSetter;
  /** Tokens; undefined: the default of the kind. */
  contextWindow?: number;
  parameters: ModelParameters;
  /** True if the model writes its thoughts into its answer, between tags; absent: as its name suggests. */
  thinkingTags?: boolean;
  /** Absent: as the address suggests, and learned from refusals. */
  parametersStyle?: ParametersStyle;
}

/** A kind of provider: its properties and its model builder. */
export interface ProviderKind {
  name: string;
  aliases: readonly string[];
  /** One line for the reference documentation. */
  docs: string;
  /** True if it runs on the operator's machines: its price is zero. */
  local: boolean;
  /** True if it calls a server whose address must be configured. */
  needsEndpoint: boolean;
  defaultEndpoint?: string;
  /** True if its default endpoint requires a key. */
  needsKey: boolean;
  /** Model of agents that name none; absent if there is no sensible default. */
  defaultModel?: string;
  /** Parameters that it supports at an endpoint; default: its default endpoint. A manifest with other parameters is refused. */
  parametersAt(endpoint?: string): readonly (keyof ModelParameters)[];
  /** The problem with an endpoint, as the end of a sentence; undefined if it is valid. */
  endpointFault?(endpoint: string): string | undefined;
  /** The problem with a model's name, as the end of a sentence; undefined if it is valid. */
  modelFault?(model: string, ports: ProviderPorts): string | undefined;
  /** Builds the model. Throws AppError `invalid` if the options can't work. */
  build(options: ProviderOptions, ports: ProviderPorts): Model;
  /** Lists the models of a server; absent for kinds without a server. */
  listModels?(
    options: Pick<ProviderOptions, "provider" | "endpoint" | "apiKey" | "timeoutMs">,
    ports: ProviderPorts,
    signal: AbortSignal,
  ): Promise<string[]>;
}

/** The network for a provider: `fetch` with the caller's rules for trusted endpoints. */
export type ProviderFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Dependencies of a provider's builder. */
export interface ProviderPorts {
  fetch: ProviderFetch;
  clock: Clock;
  newId: NewId;
  /** Masks the secrets that this process knows, in texts of servers. */
  mask?: (text: string) => string;
  /** What servers have refused so far; absent: each model learns alone. */
  dialects?: LearnedDialects;
  /** For models from local files; templates render their prompts. */
  onnx?: { runtime: OnnxRuntime; templates: TemplateEngine };
}
