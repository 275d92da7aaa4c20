import { readSse } from "../../../../kit/fetch/sse.ts";
import { bearer, parseAddress } from "../wire/address.ts";
import { createShapeWriter } from "../wire/answer-shape.ts";
import type { Protocol } from "../wire/http-kind.ts";
import { allParameters } from "../wire/request-parts.ts";
import { createBodyWriter } from "./body.ts";
import { CohereReader } from "./cohere-reader.ts";

/** Cohere's Chat API, version 2, as documented at docs.cohere.com/reference/chat. */
export const cohereProtocol: Protocol = {
  parameters: allParameters,
  /** Accepts an address with or without a version, and the full address of the chat route. */
  parseEndpoint: (endpoint) => parseAddress(endpoint, (path) => path.replace(/\/v[12](?:\/chat)?$/, "")),
  headers: bearer,
  modelList: { route: "/v1/models?endpoint=chat&page_size=1000", list: "models", name: "name" },
  // "… when a request or response contains a deny-listed token" (the API's OpenAPI document).
  statuses: { 498: "content_refused" },
  createWire({ subject, parameters, newId }) {
    const writeBody = createBodyWriter(subject.name, subject.model, parameters);
    // Only objects with at least one required property (docs.cohere.com, "Structured Outputs").
    const shapeOf = createShapeWriter(({ schema }) =>
      schema.type === "object" && Array.isArray(schema.required) && schema.required.length > 0
        ? { response_format: { type: "json_object", json_schema: schema } }
        : undefined,
    );
    return {
      chatRoute: "/v2/chat",
      streamType: "event-stream",
      readStream: readSse,
      shapeOf,
      begin: (request, shape) => ({
        body: writeBody(request, shape),
        reader: new CohereReader(subject, request, newId),
      }),
    };
  },
};
