import type { ModelParameters } from "../../model.ts";
import type { ProviderKind } from "../provider-kind.ts";
import { isResponsesEndpoint, responsesProtocol } from "../responses/responses-protocol.ts";
import { type HttpKind, httpKind } from "../wire/http-kind.ts";
import type { OpenaiDialect } from "./dialect.ts";
import { openAiProtocol } from "./protocol.ts";

export interface OpenAiKind extends Omit<HttpKind, "protocolAt"> {
  /** Default: the parameters of OpenAI's protocol. */
  parameters?: readonly (keyof ModelParameters)[];
  dialect: OpenaiDialect;
}

/** A kind of provider that speaks OpenAI's protocols: Chat Completions, or Responses where the endpoint ends with `/responses`. */
export function openAiKind({ dialect, parameters, ...kind }: OpenAiKind): ProviderKind {
  const protocol = openAiProtocol(dialect, parameters);
  return httpKind({
    ...kind,
    protocolAt: (endpoint) => (isResponsesEndpoint(endpoint) ? responsesProtocol : protocol),
  });
}
