import { readSse } from "../../../../kit/fetch/sse.ts";
import { parseAddress } from "../wire/address.ts";
import { createShapeWriter, isWithin, type SchemaSubset } from "../wire/answer-shape.ts";
import type { Protocol } from "../wire/http-kind.ts";
import { AnthropicReader } from "./anthropic-reader.ts";
import { createBodyWriter } from "./body.ts";

/** Schemas that the API accepts for answers (platform.claude.com, "Structured outputs"); it refuses others. */
const outputSubset: SchemaSubset = {
  keywords: new Set([
    "type",
    "title",
    "description",
    "default",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "$ref",
    "$defs",
    "definitions",
    "format",
  ]),
  formats: new Set([
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "uri",
    "ipv4",
    "ipv6",
    "uuid",
  ]),
  requiresAll: false,
};

/** Anthropic's Messages API, as documented at platform.claude.com/docs/en/api/messages. */
export const anthropicProtocol: Protocol = {
  parameters: ["temperature", "top_p", "top_k", "max_tokens", "stop"],
  /** Accepts an address with or without `/v1`, and the full address of the chat route. */
  parseEndpoint: (endpoint) => parseAddress(endpoint, (path) => path.replace(/\/v1(?:\/messages)?$/, "")),
  headers: (apiKey) => ({
    "anthropic-version": "2023-06-01",
    ...(apiKey !== undefined && { "x-api-key": apiKey }),
  }),
  modelList: { route: "/v1/models?limit=1000", list: "data", name: "id" },
  createWire({ subject, parameters, newId }) {
    const writeBody = createBodyWriter(subject.name, subject.model, parameters);
    const shapeOf = createShapeWriter(({ schema }) =>
      isWithin(schema, outputSubset) ? { format: { type: "json_schema", schema } } : undefined,
    );
    return {
      chatRoute: "/v1/messages",
      streamType: "event-stream",
      readStream: readSse,
      shapeOf,
      begin(request, shape) {
        const { body, echoOf } = writeBody(request, shape);
        return { body, reader: new AnthropicReader(subject, request, echoOf, newId) };
      },
    };
  },
};
