import { readSse } from "../../../../kit/fetch/sse.ts";
import type { ModelParameters, ModelRequest } from "../../model.ts";
import { createShapeWriter } from "../wire/answer-shape.ts";
import type { Protocol } from "../wire/http-kind.ts";
import { grammarLimits } from "../wire/tool-schemas.ts";
import { createBodyWriter } from "./body.ts";
import { type Dialect, inStyle, openAiDialect } from "./dialect.ts";
import { chatRoute, isLmStudio, isOpenAiService, keyHeaders, parseEndpoint } from "./endpoint.ts";
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
  "seed",
  "reasoning_effort",
  "parallel_tool_calls",
];

/** OpenAI's Chat Completions protocol in the given dialect. */
export function openAiProtocol(dialect: Dialect, parameters = openAiParameters): Protocol {
  return {
    parameters,
    parseEndpoint,
    headers: keyHeaders,
    modelList: { route: "/models", list: "data", name: "id" },
    createWire({ subject, base, parameters, newId, parametersStyle, dialects, account }) {
      const known = inStyle(isOpenAiService(base) ? openAiDialect : dialect, parametersStyle);
      const schemaLimits = isLmStudio(base) ? grammarLimits : known.schemaLimits;
      const learned = dialects.of(JSON.stringify([base.href, subject.model, account]));
      let spoken = known;
      let version = -1;
      let writeBody: ReturnType<typeof createBodyWriter>;
      const write = (request: ModelRequest, shape?: string): string => {
        if (version !== learned.version) {
          version = learned.version;
          spoken = learned.apply(known);
          writeBody = createBodyWriter(subject.name, subject.model, parameters, spoken);
        }
        return writeBody(request, shape);
      };
      const shapeOf = createShapeWriter(known.responseFormat);
      return {
        chatRoute,
        ...(schemaLimits !== undefined && { schemaLimits }),
        streamType: "event-stream",
        readStream: readSse,
        shapeOf: (request) => (request.stream && !known.shapesStreams ? undefined : shapeOf(request)),
        begin: (request, shape) => ({
          body: write(request, shape),
          reader: new OpenAiReader(subject, request, newId),
        }),
        learn(error, sent) {
          const change = learned.learn(error, sent, known);
          if (change === undefined) return false;
          const { name } = subject;
          dialects.report(name, `${name} refused a request; from now on it is sent ${change}.`);
          return true;
        },
      };
    },
  };
}
