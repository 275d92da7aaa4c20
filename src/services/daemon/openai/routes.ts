import { Elysia } from "elysia";
import {
  ChatCompletionRequest,
  EmbeddingList,
  EmbeddingsRequest,
  ListedModel,
  ModelList,
} from "../../../contracts/daemon/openai.ts";
import type { ModelEvent, ToolCall } from "../../../engine/models/model.ts";
import { jsonBody } from "../../../http/bodies/json-body.ts";
import { type Call, holdOpen } from "../../../http/call.ts";
import { idempotencyHeader, idempotencyKeyOf } from "../../../http/idempotency-key.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import { callerKey } from "../runs/run-router.ts";
import { AnswerFormats } from "./answer-formats.ts";
import { completionEvents, type OpenAiDeps } from "./completion.ts";
import {
  broughtBackDelta,
  type CompletionEnd,
  type CompletionHead,
  chunkBody,
  completionBody,
  usageChunk,
  wireCall,
} from "./completion-body.ts";
import { embedTexts } from "./embed-texts.ts";
import { renderOpenAiError } from "./openai-error.ts";
import { streamAnswer } from "./stream-answer.ts";

/** OpenAI's Chat Completions and model list, in front of agents and providers. */
export function openAiRoutes(deps: OpenAiDeps) {
  const formats = new AnswerFormats();
  return new Elysia()
    .use(jsonRoutes())
    .post(
      "/v1/chat/completions",
      async ({ body, request, call }) => answerCompletion(deps, body, { request, call, formats }),
      {
        ...jsonBody(ChatCompletionRequest),
        detail: {
          tags: ["openai"],
          operationId: "createChatCompletion",
          summary: "OpenAI-compatible chat completions",
          parameters: [
            idempotencyHeader(
              "Unique key of an agent's run, as for `/v1/agents/{name}/run`. Models don't use it.",
            ),
          ],
          description:
            "The model `agent/<name>` runs that agent. `<provider>/<model>` sends the request to that provider.",
        },
      },
    )
    .post(
      "/v1/embeddings",
      async ({ body, request, call }) => {
        holdOpen(call, request);
        return embedTexts(deps, body, request.signal);
      },
      {
        ...jsonBody(EmbeddingsRequest),
        response: EmbeddingList,
        detail: {
          tags: ["openai"],
          operationId: "createEmbeddings",
          summary: "OpenAI-compatible embeddings",
          description:
            "The model `local_hash` needs no configuration. `<embedder>/<model>` is a model of a configured server.",
        },
      },
    )
    .get("/v1/models/*", async ({ params }) => getModel(deps, params["*"]), {
      response: ListedModel,
      detail: { tags: ["openai"], operationId: "getModel", summary: "Returns a model" },
    })
    .get("/v1/models", async () => ({ object: "list" as const, data: listModels(deps) }), {
      response: ModelList,
      detail: {
        tags: ["openai"],
        operationId: "listModels",
        summary: "Lists the models and agents that `model` can name",
      },
    });
}

/** A request for a completion, and what it shares with others. */
export interface CompletionExchange {
  request: Request;
  call: Call;
  formats: AnswerFormats;
  /** False if the caller counts the costs itself. */
  isCounted?: boolean;
}

/** Answers a Chat Completions request: with a stream if it asks for one, otherwise with the whole completion. */
export async function answerCompletion(
  deps: OpenAiDeps,
  body: ChatCompletionRequest,
  exchange: CompletionExchange,
): Promise<object> {
  holdOpen(exchange.call, exchange.request);
  const head: CompletionHead = {
    id: `chatcmpl-${deps.newId()}`,
    created: Math.floor(deps.clock.now().getTime() / 1000),
    model: body.model,
  };
  return body.stream === true
    ? streamCompletion(deps, body, head, exchange)
    : completeOnce(deps, body, head, exchange);
}

async function completeOnce(
  deps: OpenAiDeps,
  body: ChatCompletionRequest,
  head: CompletionHead,
  { request, call, formats, isCounted }: CompletionExchange,
): Promise<object> {
  const toolCalls: ToolCall[] = [];
  let content = "";
  let thoughts = "";
  for await (const event of completionEvents(deps, body, {
    signal: request.signal,
    requestId: call.requestId,
    formats,
    key: callerKey(idempotencyKeyOf(request)),
    ...(isCounted !== undefined && { isCounted }),
  })) {
    if (event.type === "text") content += event.text;
    else if (event.type === "texts") content += event.texts.join("");
    else if (event.type === "thoughts") thoughts += event.text;
    else if (event.type === "tool_call") toolCalls.push(event.call);
    else return completionBody(head, { content, thoughts, toolCalls }, event);
  }
  throw new AppError("internal", "internal", "The answer has no end.");
}

async function streamCompletion(
  deps: OpenAiDeps,
  body: ChatCompletionRequest,
  head: CompletionHead,
  { request, call, formats, isCounted }: CompletionExchange,
): Promise<Response> {
  const key = callerKey(idempotencyKeyOf(request));
  const caller = { requestId: call.requestId, formats, key, ...(isCounted !== undefined && { isCounted }) };
  return streamAnswer({
    answer: (signal) => completionEvents(deps, body, { ...caller, signal }),
    render: (events) => chunks(head, events, body.stream_options?.include_usage === true),
    encode: (data: string) => encodeSse({ data }),
    encodeError: (error) => encodeSse({ data: JSON.stringify(renderOpenAiError(error)) }),
    call,
    request,
    clock: deps.clock,
  });
}

async function* chunks(
  head: CompletionHead,
  events: AsyncIterable<ModelEvent>,
  withUsage: boolean,
): AsyncGenerator<string, void> {
  const calls: ToolCall[] = [];
  let isFirst = true;
  for await (const event of events) {
    if (isFirst) {
      const content = event.type === "tool_call" || event.type === "thoughts" ? null : "";
      yield JSON.stringify(chunkBody(head, { role: "assistant", content }));
      isFirst = false;
    }
    if (event.type === "text") yield JSON.stringify(chunkBody(head, { content: event.text }));
    else if (event.type === "texts") {
      yield JSON.stringify(chunkBody(head, { content: event.texts.join("") }));
    } else if (event.type === "thoughts") {
      yield JSON.stringify(chunkBody(head, { reasoning_content: event.text }));
    } else if (event.type === "tool_call") {
      yield JSON.stringify(chunkBody(head, { tool_calls: [wireCall(event.call, calls.length)] }));
      calls.push(event.call);
    } else yield* lastChunks(head, event, calls, withUsage);
  }
  yield "[DONE]";
}

function* lastChunks(
  head: CompletionHead,
  end: CompletionEnd,
  calls: readonly ToolCall[],
  withUsage: boolean,
): Generator<string, void> {
  const delta = broughtBackDelta(end, calls);
  if (delta !== undefined) yield JSON.stringify(chunkBody(head, delta));
  yield JSON.stringify(chunkBody(head, {}, end.finish));
  if (withUsage) yield JSON.stringify(usageChunk(head, end.usage));
}

async function getModel(deps: OpenAiDeps, encoded: string): Promise<ListedModel> {
  const id = decodeURIComponent(encoded);
  if (id.startsWith("agent/")) await deps.catalog.findFresh(id.slice("agent/".length));
  const model = listModels(deps).find((model) => model.id === id);
  if (model !== undefined) return model;
  throw new AppError("not_found", "model_not_found", `There is no model ${JSON.stringify(id)}.`, {
    details: { hint: "GET /v1/models lists the models." },
  });
}

function listModels({ catalog, router, directModels, startedAt }: OpenAiDeps): ModelList["data"] {
  const created = Math.floor(startedAt.getTime() / 1000);
  const entry = (id: string, owner: string) => ({ id, object: "model" as const, created, owned_by: owner });
  const ready = catalog.list().filter((entry) => catalog.statusOf(entry) === "ready");
  const agents = new Set([...ready.map(({ name }) => name), ...(router?.agentsElsewhere() ?? [])]);
  return [
    ...[...agents].sort().map((name) => entry(`agent/${name}`, "argosy")),
    ...directModels().map(({ provider, model }) => entry(`${provider}/${model}`, provider)),
  ];
}
