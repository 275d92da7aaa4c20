import { readSse } from "../../../../kit/sse.ts";
import { parseAddress } from "../wire/address.ts";
import type { Protocol } from "../wire/http-kind.ts";
import { AnthropicReader } from "./anthropic-reader.ts";
import { createBodyWriter } from "./body.ts";

/** Anthropic's Messages API, as documented at platform.claude.com/docs/en/api/messages. */
export const anthropicProtocol: Protocol = {
  parameters: ["temperature", "top_p", "top_k", "max_tokens", "stop"],
  /** With or without `/v1`, or the full address of the chat route. */
  parseEndpoint: (endpoint) => parseAddress(endpoint, (path) => path.replace(/\/v1(?:\/messages)?$/, "")),
  headers: (apiKey) => ({
    "anthropic-version": "2023-06-01",
    ...(apiKey !== undefined && { "x-api-key": apiKey }),
  }),
  modelList: { route: "/v1/models?limit=1000", list: "data", name: "id" },
  createWire({ subject, parameters, newId }) {
    const writeBody = createBodyWriter(subject.name, subject.model, parameters);
    return {
      chatRoute: "/v1/messages",
      streamType: "event-stream",
      readStream: readSse,
      begin(request) {
        const { body, echoOf } = writeBody(request);
        return { body, reader: new AnthropicReader(subject, request, echoOf, newId) };
      },
    };
  },
};
