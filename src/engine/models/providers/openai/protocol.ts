import { readSse } from "../../../../kit/fetch/sse.ts";
import type { ModelParameters } from "../../model.ts";
import { bearer } from "../wire/address.ts";
import { createShapeWriter } from "../wire/answer-shape.ts";
import type { Protocol } from "../wire/http-kind.ts";
import { createBodyWriter } from "./body.ts";
import { type Dialect, openAiDialect } from "./dialect.ts";
import { chatRoute, parseEndpoint } from "./endpoint.ts";
import { OpenAiReader } from "./openai-reader.ts";

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

/** OpenAI's Chat Completions protocol in the given dialect. */
export function openAiProtocol(dialect: Dialect, parameters = openAiParameters): Protocol {
  return {
    parameters,
    parseEndpoint,
    headers: bearer,
    modelList: { route: "/models", list: "data", name: "id" },
    createWire({ subject, base, parameters, newId }) {
      const spoken = base.hostname === "api.openai.com" ? openAiDialect : dialect;
      const writeBody = createBodyWriter(subject.name, subject.model, parameters, spoken);
      const shapeOf = createShapeWriter(spoken.responseFormat);
      return {
        chatRoute,
        streamType: "event-stream",
        readStream: readSse,
        shapeOf: (request) => (request.stream && !spoken.shapesStreams ? undefined : shapeOf(request)),
        begin: (request, shape) => ({
          body: writeBody(request, shape),
          reader: new OpenAiReader(subject, request, newId),
        }),
      };
    },
  };
}
