import type { ChatCompletionRequest } from "../../../contracts/daemon/openai.ts";
import { visiblePattern } from "../../../contracts/platform/shown-name.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { Message, ModelEvent, ModelParameters } from "../../../engine/models/model.ts";
import { ownCallId } from "../../../engine/models/providers/wire/call-ids.ts";
import type { RunEvent } from "../../../engine/run-state/run-event.ts";
import type { StructuredOutput } from "../../../engine/structured/structured-output.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { inPieces, othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { NewId } from "../../../kit/id.ts";
import { awaitedIn } from "../paused-runs/paused-runs.ts";
import { pausableAgents } from "../paused-runs/run-pausable.ts";
import { admitRun, type RunDeps } from "../runs/admit-run.ts";
import { locateAgent } from "../runs/locate-agent.ts";
import { runInput } from "../runs/run-input.ts";
import type { RequestKey } from "../runs/run-router.ts";
import { answerCall, getCall } from "../tool-calls/answer-call.ts";
import { answerFormat, type ForcedCall, forcedCall } from "./answer-format.ts";
import type { AnswerFormats } from "./answer-formats.ts";
import { invalid, readMessages } from "./chat-messages.ts";
import { type AnswerData, jsonAnswer } from "./json-answer.ts";
import { toOpenAiError } from "./openai-error.ts";
import { samplingParameters } from "./sampling-parameters.ts";

/** Facts about the request that both agents and models need. */
export interface CompletionCaller {
  signal: AbortSignal;
  requestId: string;
  formats: AnswerFormats;
  /** False if the caller counts the costs of the model call itself. */
  isCounted?: boolean;
  /** The request's key. Only a run of an agent has one answer for each key. */
  key?: RequestKey | undefined;
}

/**
 * Yields an agent's answer as model events. A call of a `client` tool ends the answer as a model's call would, and the caller's `tool`
 * message resumes the same run.
 */
export async function* agentEvents(
  deps: RunDeps,
  name: string,
  request: ChatCompletionRequest,
  caller: CompletionCaller,
): AsyncGenerator<ModelEvent, void> {
  const forced = await forcedCall(request, caller.formats);
  const format = forced?.shape ?? (await answerFormat(request, caller.formats));
  if (request.tool_choice === "none")
    throw invalid("tool_choice", "can't be none for an agent, which uses its own tools");
  if (forced === undefined && request.tool_choice && request.tool_choice !== "auto")
    throw invalid("tool_choice", "can't force a call of an agent's own tools; leave it out");
  try {
    const result: AnswerData = {};
    const conversation = conversationOf(request);
    const answer = agentAnswer(await conversationEvents(deps, name, conversation, caller, format), result);
    if (forced !== undefined) yield* asCall(answer, result, forced, deps.newId);
    else yield* format === undefined ? answer : jsonAnswer(answer, result);
  } catch (thrown) {
    const awaited = awaitedIn(toAppError(thrown));
    if (awaited?.status !== "awaiting_tool_result") throw toOpenAiError(thrown);
    yield { type: "tool_call", call: { id: awaited.call_id, name: awaited.tool, input: awaited.input } };
    yield { type: "end", finish: "tool_calls", usage: countedAtTheEnd };
  }
}

/** Yields a run's answer; before its end, fills `result`. */
async function* agentAnswer(
  events: AsyncIterable<RunEvent>,
  result: AnswerData,
): AsyncGenerator<ModelEvent, void> {
  for await (const event of events) {
    if (event.type === "token") yield { type: "text", text: event.content };
    if (event.type === "tokens") yield { type: "text", text: event.contents.join("") };
    if (event.type !== "done") continue;
    result.data = event.result.data;
    yield { type: "end", finish: event.finish, usage: event.usage };
  }
}

/** Converts the agent's answer to the call that its caller requires. Throws `answer_not_in_shape` (422) for any other answer. */
async function* asCall(
  answer: AsyncIterable<ModelEvent>,
  result: AnswerData,
  { name, shape }: ForcedCall,
  newId: NewId,
): AsyncGenerator<ModelEvent, void> {
  let text = "";
  for await (const event of jsonAnswer(answer)) {
    if (event.type === "text") text += event.text;
    if (event.type !== "end") continue;
    // Compiling the caller's schema is synchronous, so other work gets a turn first.
    await othersTurn();
    const read = result.data == null ? await inPieces(shape.read(text)) : { data: result.data };
    if ("error" in read)
      throw new AppError("unprocessable", "answer_not_in_shape", `${name} can't be called: ${read.error}`);
    const input = read.data as Record<string, unknown>;
    yield { type: "tool_call", call: { id: ownCallId(newId), name, input } };
    yield { ...event, finish: "tool_calls" };
  }
}

/** The run's last event contains its whole usage. */
const countedAtTheEnd = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, estimated: false };

/** A conversation with an agent, in whatever protocol its caller speaks. */
export interface AgentConversation {
  messages: readonly Message[];
  /** Session in which the agent keeps the conversation; undefined: the messages are the conversation. */
  sessionId: string | undefined;
  stream: boolean;
  parameters: ModelParameters;
}

function conversationOf(request: ChatCompletionRequest): AgentConversation {
  return {
    messages: readMessages(request),
    sessionId: request.metadata?.session_id ?? request.user,
    stream: request.stream === true,
    parameters: samplingParameters(request),
  };
}

/** Runs an agent on the last message, or resumes the run that waits for the result in it. */
export async function conversationEvents(
  deps: RunDeps,
  name: string,
  { messages, sessionId, stream, parameters }: AgentConversation,
  caller: Pick<CompletionCaller, "signal" | "requestId" | "key">,
  format?: StructuredOutput,
): Promise<AsyncIterable<RunEvent>> {
  const agent = await locateAgent(deps, name, { sender: "stranger", format });
  const last = messages.at(-1);
  if (last?.role === "tool") return answeredCall(deps, name, last, { stream, ...caller });
  if (format !== undefined && agent.loaded !== undefined) requireNoPause(deps, agent.loaded);
  if (last?.role !== "user" || (isBlank(last.content) && last.images === undefined)) {
    throw invalid("messages", "must end with a user message or the result of a tool call");
  }
  const run = {
    ...runInput(
      deps,
      { query: last.content, ...(sessionId === undefined ? {} : { session_id: sessionId }) },
      { stream, bundles: stream, outlives: true, ...caller },
    ),
    parameters,
    ...(last.images && { images: last.images }),
    // With a session, the agent remembers the conversation; without one, the client sends it.
    ...(sessionId === undefined ? { history: messages.slice(0, -1) } : {}),
  };
  return admitRun(deps, agent, run);
}

/** Throws 400 for an agent of this node whose runs may wait: its answer can't be held to a caller's format. */
export function requireNoPause(deps: Pick<RunDeps, "approvals" | "catalog">, agent: RunnableAgent): void {
  if (deps.approvals === undefined || pausableAgents(deps, agent) === undefined) return;
  throw invalid(
    "response_format",
    `can't be used with ${agent.name}, whose runs may wait for a person or a client; give the agent an output_schema`,
  );
}

/** Returns true for a text without visible characters. */
const isBlank = (text: string) => !new RegExp(visiblePattern).test(text);

async function answeredCall(
  deps: RunDeps,
  agent: string,
  { callId, content }: Extract<Message, { role: "tool" }>,
  caller: Pick<CompletionCaller, "signal" | "requestId"> & { stream: boolean },
): Promise<AsyncIterable<RunEvent>> {
  const pausedRuns = deps.approvals;
  const row = pausedRuns && (await getCall(pausedRuns, callId));
  if (pausedRuns === undefined || row?.agent !== agent) {
    throw new AppError(
      "not_found",
      "tool_call_not_found",
      `Agent ${agent} does not wait for the tool call ${callId}.`,
    );
  }
  return answerCall(deps, pausedRuns, callId, { output: outputIn(content) }, caller);
}

/** Parses objects and lists, so the model doesn't get JSON inside a string. */
function outputIn(content: string): unknown {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null ? value : content;
  } catch {
    return content;
  }
}
