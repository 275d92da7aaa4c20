import { readSse } from "../../../../kit/fetch/sse.ts";
import type { ModelParameters, ModelRequest } from "../../model.ts";
import { hostedDialect, inStyle, jsonSchemaFormat, type OpenaiDialect } from "../openai/dialect.ts";
import { keyHeaders, parseEndpoint } from "../openai/endpoint.ts";
import { createShapeWriter } from "../wire/answer-shape.ts";
import type { Protocol, WireOptions } from "../wire/http-kind.ts";
import type { WireFormat } from "../wire/wire-format.ts";
import { createResponsesBody } from "./responses-body.ts";
import { ResponsesReader } from "./responses-reader.ts";

/** Route of the Responses API below the base address. */
export const responsesRoute = "/responses";

/** The sampling parameters of the Responses API. */
const responsesParameters: readonly (keyof ModelParameters)[] = [
  "temperature",
  "top_p",
  "max_tokens",
  "reasoning_effort",
  "parallel_tool_calls",
];

/** OpenAI's Responses API, at an endpoint that names its route. */
export const responsesProtocol: Protocol = {
  parameters: responsesParameters,
  parseEndpoint: (endpoint) => parseEndpoint(endpoint.replace(/\/responses\/*(?=$|\?)/, "")),
  headers: keyHeaders,
  modelList: { route: "/models", list: "data", name: "id" },
  createWire: (options) => createResponsesWire(options, hostedDialect),
};

/** True if an endpoint is the full address of the Responses API's route. */
export function isResponsesEndpoint(endpoint: string): boolean {
  return /\/responses\/*$/.test(URL.parse(endpoint.trim())?.pathname ?? "");
}

/** The wire of one model. What the server refuses is learned and left out as in Chat Completions. */
export function createResponsesWire(options: WireOptions, dialect: OpenaiDialect): WireFormat {
  const { subject, base, parameters, newId, parametersStyle, dialects, account } = options;
  const known = inStyle(dialect, parametersStyle);
  const learned = dialects.of(JSON.stringify([base.href, subject.model, account, responsesRoute]));
  const writeBody = createResponsesBody(subject.name, subject.model, parameters);
  return {
    chatRoute: responsesRoute,
    streamType: "event-stream",
    readStream: readSse,
    shapeOf: createShapeWriter((schema) => {
      const format = jsonSchemaFormat(schema)?.response_format as { json_schema: object } | undefined;
      return format && { text: { format: { type: "json_schema", ...format.json_schema } } };
    }),
    begin: (request: ModelRequest, shape) => ({
      body: writeBody(request, learned.apply(known), shape),
      reader: new ResponsesReader(subject, request, newId),
    }),
    learn({ message, sent, failure }) {
      const change = failure === "caller" ? learned.learn(message, sent, known) : undefined;
      if (change === undefined) return false;
      dialects.report(subject.name, `${subject.name} refused a request; from now on it is sent ${change}.`);
      return true;
    },
  };
}
