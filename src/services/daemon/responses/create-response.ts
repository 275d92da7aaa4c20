import type { ResponseBody, ResponseItem, ResponseRequest } from "../../../contracts/daemon/responses.ts";
import type { ModelEvent } from "../../../engine/models/model.ts";
import { holdOpen } from "../../../http/call.ts";
import { idempotencyKeyOf } from "../../../http/idempotency-key.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import type { CompletionCaller } from "../openai/agent-completion.ts";
import { AnswerFormats } from "../openai/answer-formats.ts";
import { invalid } from "../openai/chat-messages.ts";
import { completionEvents, type OpenAiDeps, requireModel } from "../openai/completion.ts";
import { renderOpenAiError } from "../openai/openai-error.ts";
import type { CompletionExchange } from "../openai/routes.ts";
import { streamAnswer } from "../openai/stream-answer.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { callerKey, type RequestKey } from "../runs/run-router.ts";
import { type ResponseConversation, readConversation } from "./conversation.ts";
import { inputItems, toCompletionRequest } from "./read-request.ts";
import { fillResponse, itemId, type ResponseEvent, responseEvents } from "./response-events.ts";
import type { ContinueResponse, ResponseRuns } from "./response-runs.ts";
import type { ResponseRow } from "./schema.ts";
import { endResponse, insertResponse } from "./store.ts";

export interface ResponseDeps extends OpenAiDeps {
  responses: ResponseRuns;
}

/** A response that is being made. */
interface Draft {
  request: ResponseRequest;
  response: ResponseBody;
  conversation: ResponseConversation;
  input: ResponseItem[];
  key: RequestKey | undefined;
  answer: (signal: AbortSignal) => AsyncGenerator<ModelEvent, void>;
}

/** Answers a request to the Responses API as one of Chat Completions is answered: by the agent or model that `model` names. */
export async function createResponse(
  deps: ResponseDeps,
  request: ResponseRequest,
  exchange: CompletionExchange,
): Promise<object> {
  holdOpen(exchange.call, exchange.request);
  requireConsistent(request);
  if (request.background === true) await requireModel(deps, request.model);
  const response = emptyResponse(deps, request);
  const key = idempotencyKeyOf(exchange.request);
  const isBackground = request.background === true;
  const draft = await openDraft(deps, request, response, {
    signal: exchange.request.signal,
    requestId: exchange.call.requestId,
    formats: exchange.formats,
    key: key === undefined && isBackground ? ownKey(response) : callerKey(key),
  });
  if (isBackground) return runInBackground(deps, draft);
  if (request.stream === true) return streamResponse(deps, draft, exchange);
  await fillResponse(draft.response, draft.answer(exchange.request.signal), request.include);
  await store(deps, draft);
  return draft.response;
}

function requireConsistent(request: ResponseRequest): void {
  if (request.background === true && request.stream === true)
    throw invalid("background", "can't be true with stream; retrieve the response until it has ended");
  if (request.background === true && request.store === false)
    throw invalid("background", "can't be true with store: false");
  if (request.previous_response_id && request.conversation)
    throw invalid("conversation", "can't be set with previous_response_id");
}

async function openDraft(
  deps: ResponseDeps,
  request: ResponseRequest,
  response: ResponseBody,
  { signal, ...caller }: CompletionCaller,
): Promise<Draft> {
  const ports = { reader: deps.rag.reader, signal };
  const conversation = await readConversation(deps.responses.storage, request, inputItems(request));
  const items = [...conversation.earlier, ...conversation.items];
  const completion = await toCompletionRequest(request, items, conversation.sessionId, ports);
  response.conversation = conversation.sessionId === undefined ? null : { id: conversation.sessionId };
  const input = conversation.items.map(({ item }, index) => ({
    ...item,
    type: item.type ?? "message",
    id: item.id ?? itemId("in", response.id, index),
  }));
  const answer = (signal: AbortSignal) => completionEvents(deps, completion, { ...caller, signal });
  return { request, response, conversation, input, key: caller.key, answer };
}

function emptyResponse({ newId, clock }: ResponseDeps, request: ResponseRequest): ResponseBody {
  return {
    id: `resp_${newId()}`,
    object: "response",
    created_at: Math.floor(clock.now().getTime() / 1000),
    status: "in_progress",
    background: request.background === true,
    error: null,
    incomplete_details: null,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    model: request.model,
    output: [],
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    conversation: null,
    reasoning: { effort: request.reasoning?.effort ?? null, summary: request.reasoning?.summary ?? null },
    store: request.store !== false,
    temperature: request.temperature ?? null,
    text: { format: request.text?.format ?? { type: "text" } },
    tool_choice: request.tool_choice ?? "auto",
    tools: request.tools ?? [],
    top_p: request.top_p ?? null,
    truncation: "disabled",
    usage: null,
    metadata: request.metadata ?? {},
    ...(request.user && { user: request.user }),
  };
}

async function streamResponse(
  deps: ResponseDeps,
  draft: Draft,
  { request, call }: CompletionExchange,
): Promise<Response> {
  return streamAnswer({
    answer: draft.answer,
    render: (events) =>
      storedAtTheEnd(deps, draft, responseEvents(draft.response, events, draft.request.include)),
    encode: (event: ResponseEvent) => encodeSse({ event: event.type, data: JSON.stringify(event) }),
    encodeError: (error) =>
      encodeSse({ event: "error", data: JSON.stringify({ type: "error", ...renderOpenAiError(error) }) }),
    call,
    request,
    clock: deps.clock,
  });
}

/** Who reads the last event may retrieve the response at once. */
async function* storedAtTheEnd(
  deps: ResponseDeps,
  draft: Draft,
  events: AsyncIterable<ResponseEvent>,
): AsyncGenerator<ResponseEvent, void> {
  for await (const event of events) {
    if (draft.response.status !== "in_progress") await store(deps, draft);
    yield event;
  }
}

/** A request with the name of its key, if its caller chose one. */
interface KeptResponseRequest {
  request: ResponseRequest;
  key?: string;
}

async function runInBackground(deps: ResponseDeps, draft: Draft): Promise<ResponseBody> {
  const { responses } = deps;
  const begun = structuredClone(draft.response);
  const { key } = draft;
  const kept: KeptResponseRequest = { request: draft.request, ...(key?.isShared && { key: key.name }) };
  const request = JSON.stringify(kept);
  await store(deps, draft, { request, owner: responses.owner, heldUntil: responses.heldUntil() });
  responses.start(begun.id, (signal) => answerInBackground(deps, draft, signal));
  return begun;
}

async function answerInBackground(deps: ResponseDeps, draft: Draft, signal: AbortSignal): Promise<void> {
  const { response, request } = draft;
  for await (const _ of responseEvents(response, draft.answer(signal), request.include)) {
    // Nobody reads them: the response has what they say.
  }
  // Another process continues it.
  if (response.status === "failed" && deps.stopping.aborted && deps.responses.isDurable)
    return deps.responses.leave(response.id);
  const { status } = response;
  const body = JSON.stringify(response);
  await endResponse(deps.responses.storage, operatorTenant, response.id, { status, body });
}

/**
 * Continues a response whose process is dead. The run of an agent is continued by its key, which waits for the answer; a model is asked
 * again, because its call changes nothing.
 */
export const continueResponse =
  (deps: ResponseDeps, formats = new AnswerFormats()): ContinueResponse =>
  async ({ id, body, request: text }, signal) => {
    const { request, key: name }: KeptResponseRequest = JSON.parse(text ?? "");
    const response: ResponseBody = JSON.parse(body);
    const key = name === undefined ? ownKey(response) : { name, isShared: true };
    const caller = { signal, requestId: id, formats, key };
    await answerInBackground(deps, await openDraft(deps, request, response, caller), signal);
  };

/** One run answers a response, however often its processes die. */
const ownKey = ({ id }: ResponseBody): RequestKey => ({ name: `response ${id}`, isShared: false });

async function store(
  { responses, clock }: ResponseDeps,
  { request, response, conversation, input }: Draft,
  run: Pick<ResponseRow, "request" | "owner" | "heldUntil"> = { request: null, owner: null, heldUntil: null },
): Promise<void> {
  if (request.store === false) return;
  await insertResponse(responses.storage, {
    tenant: operatorTenant,
    id: response.id,
    status: response.status,
    agent: conversation.agent ?? null,
    body: JSON.stringify(response),
    input: JSON.stringify(input),
    previousId: request.previous_response_id ?? null,
    sessionId: conversation.sessionId ?? null,
    createdAt: clock.now(),
    ...run,
  });
}
