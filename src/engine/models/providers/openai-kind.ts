import { AppError } from "../../../kit/app-error.ts";
import type { ModelParameters } from "../model.ts";
import { type Dialect, openAiDialect } from "./openai/dialect.ts";
import { parseEndpoint } from "./openai/endpoint.ts";
import { listModels } from "./openai/list-models.ts";
import { createOpenAiCompatible } from "./openai-compatible.ts";
import type { ProviderKind, ProviderOptions } from "./provider-kind.ts";

type Parameter = keyof ModelParameters;

/** The sampling parameters of OpenAI's protocol. */
export const openAiParameters: readonly Parameter[] = [
  "temperature",
  "top_p",
  "max_tokens",
  "frequency_penalty",
  "presence_penalty",
  "stop",
];

export interface OpenAiKind
  extends Pick<ProviderKind, "name" | "docs" | "local" | "needsEndpoint" | "defaultEndpoint" | "needsKey"> {
  aliases?: readonly string[];
  parameters?: readonly Parameter[];
  contextWindow: number;
  dialect: Dialect;
}

/** A kind of provider that speaks OpenAI's protocol. */
export function openAiKind({ dialect, contextWindow, ...kind }: OpenAiKind): ProviderKind {
  const addressOf = (options: Pick<ProviderOptions, "provider" | "endpoint" | "apiKey" | "timeoutMs">) => {
    const { base, fault } = parseEndpoint(options.endpoint ?? kind.defaultEndpoint ?? "");
    if (!base)
      throw new AppError("invalid", "endpoint_invalid", `The endpoint of ${options.provider} ${fault}.`);
    const { apiKey, timeoutMs } = options;
    return { base, timeoutMs, ...(apiKey === undefined ? {} : { apiKey }) };
  };
  return {
    aliases: [],
    parameters: openAiParameters,
    ...kind,
    endpointFault: (endpoint) => parseEndpoint(endpoint).fault,
    build(options, ports) {
      const address = addressOf(options);
      const { provider, model, account, parameters } = options;
      return createOpenAiCompatible(
        {
          ...address,
          provider,
          model,
          parameters,
          ...(account === undefined ? {} : { account }),
          local: kind.local,
          contextWindow: options.contextWindow ?? contextWindow,
          dialect: address.base.hostname === "api.openai.com" ? openAiDialect : dialect,
        },
        ports,
      );
    },
    listModels: (options, ports, signal) => listModels(options.provider, addressOf(options), ports, signal),
  };
}
