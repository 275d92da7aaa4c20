import { AppError } from "../../../../kit/app-error.ts";
import type { NewId } from "../../../../kit/id.ts";
import type { ParametersStyle } from "../../../../manifest/files/providers-file.ts";
import type { ModelParameters } from "../../model.ts";
import { LearnedDialects } from "../openai/learned-dialect.ts";
import type { ProviderKind, ProviderOptions } from "../provider-kind.ts";
import { maskHeaders, type ParsedAddress, type ProviderAddress } from "./address.ts";
import type { Subject } from "./failure.ts";
import { createHttpModel } from "./http-model.ts";
import { listModels, probeServer, type ServerModelList } from "./probe-server.ts";
import { writesThoughts } from "./tagged-thoughts.ts";
import type { WireFormat } from "./wire-format.ts";

/** Options of a wire format. */
export interface WireOptions {
  subject: Subject;
  base: URL;
  parameters: ModelParameters;
  /** Tokens, if the operator set them; undefined: the server's default. */
  contextWindow: number | undefined;
  newId: NewId;
  parametersStyle: ParametersStyle | undefined;
  dialects: LearnedDialects;
  /** Whose requests teach the dialect: those of one caller change nothing for another. */
  account: string | undefined;
}

/** One vendor's protocol, for all its models. */
export interface Protocol {
  /** Parameters that the protocol supports. */
  parameters: readonly (keyof ModelParameters)[];
  /** Parses an operator's endpoint to the base address, or returns the problem with it. */
  parseEndpoint(endpoint: string): ParsedAddress;
  /** Returns the headers of every request to the base address. */
  headers(apiKey: string | undefined, base: URL): Record<string, string>;
  modelList: ServerModelList;
  /** See `Subject.statuses`. */
  statuses?: Subject["statuses"];
  createWire(options: WireOptions): WireFormat;
}

export interface HttpKind
  extends Pick<
    ProviderKind,
    "name" | "docs" | "local" | "needsEndpoint" | "defaultEndpoint" | "needsKey" | "defaultModel"
  > {
  aliases?: readonly string[];
  /** Returns the protocol used at an address. */
  protocolAt: (endpoint: string) => Protocol;
  /** Default context window in tokens. */
  contextWindow: number;
  /** Returns how an operator can add a model that the server lacks. */
  missingModelHint?: (model: string) => string;
}

/** Maximum silence of a probe. Its result is shared, so an agent's own limit does not apply. */
const probeMs = 30_000;

/** Creates a kind of provider that is called over HTTP. */
export function httpKind({ protocolAt, contextWindow, missingModelHint, ...kind }: HttpKind): ProviderKind {
  const locate = (located: Located) => {
    const {
      provider,
      endpoint = kind.defaultEndpoint ?? "",
      apiKey,
      timeoutMs,
      limitBy = "operator",
    } = located;
    const protocol = protocolAt(endpoint);
    const { base, fault } = protocol.parseEndpoint(endpoint);
    if (!base) throw new AppError("invalid", "endpoint_invalid", `The endpoint of ${provider} ${fault}.`);
    const address: ProviderAddress = { base, headers: protocol.headers(apiKey, base), timeoutMs, limitBy };
    return { protocol, address };
  };
  return {
    aliases: [],
    ...kind,
    parametersAt: (endpoint = kind.defaultEndpoint ?? "") => protocolAt(endpoint).parameters,
    endpointFault: (endpoint) => protocolAt(endpoint).parseEndpoint(endpoint).fault,
    build(options, ports) {
      const { protocol, address } = locate(options);
      const { provider, model, account, parameters } = options;
      const subject: Subject = {
        name: `${provider}/${model}`,
        model,
        ...(missingModelHint && { missingModelHint }),
        writesThoughts: options.thinkingTags ?? writesThoughts(model),
        mask: maskHeaders(address.headers, ports.mask),
        ...(protocol.statuses && { statuses: protocol.statuses }),
      };
      const wire = protocol.createWire({
        subject,
        base: address.base,
        parameters,
        contextWindow: options.contextWindow,
        newId: ports.newId,
        parametersStyle: options.parametersStyle,
        dialects: ports.dialects ?? new LearnedDialects(),
        account: account ?? options.limitBy,
      });
      return createHttpModel(
        {
          subject,
          address,
          wire,
          provider,
          ...(account === undefined ? {} : { account }),
          local: kind.local,
          contextWindow: options.contextWindow ?? contextWindow,
          ...(options.contextWindow === undefined && { hasGuessedWindow: true }),
          ...(parameters.max_tokens === undefined ? {} : { answerTokensMax: parameters.max_tokens }),
          ...(parameters.stop === undefined ? {} : { stops: parameters.stop }),
          async probe(signal) {
            const routes = { list: protocol.modelList.route, chat: wire.chatRoute };
            await probeServer(provider, routes, { ...address, timeoutMs: probeMs }, ports, signal);
          },
        },
        ports,
      );
    },
    async listModels(options, ports, signal) {
      const { protocol, address } = locate(options);
      return listModels(options.provider, protocol.modelList, address, ports, signal);
    },
  };
}

type Located = Pick<ProviderOptions, "provider" | "endpoint" | "apiKey" | "timeoutMs" | "limitBy">;
