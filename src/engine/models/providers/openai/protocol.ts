import { readSse } from "../../../../kit/fetch/sse.ts";
import type { ModelParameters, ModelRequest } from "../../model.ts";
import { createResponsesWire } from "../responses/responses-protocol.ts";
import { createShapeWriter } from "../wire/answer-shape.ts";
import type { Protocol, WireOptions } from "../wire/http-kind.ts";
import { grammarLimits } from "../wire/tool-schemas.ts";
import type { WireFormat } from "../wire/wire-format.ts";
import { createBodyWriter } from "./body.ts";
import { inStyle, type OpenaiDialect, openAiDialect } from "./dialect.ts";
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
export function openAiProtocol(dialect: OpenaiDialect, parameters = openAiParameters): Protocol {
  return {
    parameters,
    parseEndpoint,
    headers: keyHeaders,
    modelList: { route: "/models", list: "data", name: "id" },
    createWire: (options) => createChatWire(options, dialect),
  };
}

/**
 * Refusals of models that only the Responses API has: "This model is only supported in v1/responses and not in v1/chat/completions.", "This is
 * not a chat model and thus not supported in the v1/chat/completions endpoint.", and Azure's "The chatCompletion operation does not work with
 * the specified model".
 */
const onlyOnResponses = /\bv1\/responses\b|is not a chat model|chatCompletion operation does not work/i;

/** The wire of one model: Chat Completions, until its server says that the model is only on Responses. */
function createChatWire(options: WireOptions, dialect: OpenaiDialect): WireFormat {
  const { subject, base, parameters, newId, parametersStyle, dialects, account } = options;
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
  let responses: WireFormat | undefined;
  const responsesWire = () => (responses ??= createResponsesWire(options, known));
  return {
    get chatRoute() {
      return learned.isOnResponses ? responsesWire().chatRoute : chatRoute;
    },
    ...(schemaLimits !== undefined && { schemaLimits }),
    streamType: "event-stream",
    readStream: readSse,
    shapeOf(request) {
      if (learned.isOnResponses) return responsesWire().shapeOf(request);
      return request.stream && !known.shapesStreams ? undefined : shapeOf(request);
    },
    begin(request, shape) {
      if (learned.isOnResponses) return responsesWire().begin(request, shape);
      return { body: write(request, shape), reader: new OpenAiReader(subject, request, newId) };
    },
    learn(refusal) {
      const { name } = subject;
      if (learned.isOnResponses) return responsesWire().learn?.(refusal) === true;
      if (onlyOnResponses.test(refusal.message)) {
        learned.isOnResponses = true;
        dialects.report(
          name,
          `${name} is only on the Responses API and is called there, without stop, seed and penalties.`,
        );
        return true;
      }
      if (refusal.failure !== "caller") return false;
      const change = learned.learn(refusal.message, refusal.sent, known);
      if (change === undefined) return false;
      dialects.report(name, `${name} refused a request; from now on it is sent ${change}.`);
      return true;
    },
  };
}
