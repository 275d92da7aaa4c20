import type { ChatCompletionRequest } from "../../../contracts/daemon/openai.ts";
import { visiblePattern } from "../../../contracts/platform/shown-name.ts";
import type { Message, ModelEvent } from "../../../engine/models/model.ts";
import type { RunEvent } from "../../../engine/run/run-event.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { awaitedIn } from "../approvals/approval-desk.ts";
import type { DaemonDeps } from "../deps.ts";
import { admitRun } from "../runs/admit-run.ts";
import { runInput } from "../runs/run-input.ts";
import { answerCall, getCall } from "../tool-calls/answer-call.ts";
import { invalid, readMessages } from "./chat-messages.ts";
import type { CompletionCaller } from "./completion.ts";
import { samplingParameters } from "./sampling-parameters.ts";

/**
 * An agent's answer as model events. A call of a `client` tool ends it as a model's would, and the caller's `tool` message lets
 * the same run go on.
 */
export async function* agentEvents(
  deps: DaemonDeps,
  name: string,
  request: ChatCompletionRequest,
  caller: CompletionCaller,
): AsyncGenerator<ModelEvent, void> {
  if (request.tools !== undefined && request.tools.length > 0) {
    throw invalid("tools", "can't be given to an agent, which brings its own");
  }
  if (request.tool_choice === "none")
    throw invalid("tool_choice", "can't be none for an agent, which uses its own tools");
  try {
    for await (const event of await runEvents(deps, name, request, caller)) {
      if (event.type === "token") yield { type: "text", text: event.content };
      if (event.type !== "done") continue;
      yield { type: "end", finish: event.finish, usage: event.usage };
    }
  } catch (thrown) {
    const awaited = awaitedIn(toAppError(thrown));
    if (awaited?.status !== "awaiting_tool_result") throw thrown;
    yield { type: "tool_call", call: { id: awaited.call_id, name: awaited.tool, input: awaited.input } };
    yield { type: "end", finish: "tool_calls", usage: countedAtTheEnd };
  }
}

/** What the run uses stands whole in its last answer. */
const countedAtTheEnd = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, estimated: false };

async function runEvents(
  deps: DaemonDeps,
  name: string,
  request: ChatCompletionRequest,
  caller: CompletionCaller,
): Promise<AsyncIterable<RunEvent>> {
  const agent = deps.catalog.get(name);
  const messages = readMessages(request);
  const last = messages.at(-1);
  const stream = request.stream === true;
  if (last?.role === "tool") return answeredCall(deps, name, last, { stream, ...caller });
  if (last?.role !== "user" || !new RegExp(visiblePattern).test(last.content)) {
    throw invalid("messages", "must end with what the user says, or with the result of a tool call");
  }
  const sessionId = request.metadata?.session_id ?? request.user;
  const run = {
    ...runInput(
      deps,
      { query: last.content, ...(sessionId === undefined ? {} : { session_id: sessionId }) },
      { stream, ...caller },
    ),
    parameters: samplingParameters(request),
    // With a session the agent remembers for itself; without one the client brings the conversation.
    ...(sessionId === undefined ? { history: messages.slice(0, -1) } : {}),
  };
  return admitRun(deps, agent, run);
}

async function answeredCall(
  deps: DaemonDeps,
  agent: string,
  { callId, content }: Extract<Message, { role: "tool" }>,
  caller: CompletionCaller & { stream: boolean },
): Promise<AsyncIterable<RunEvent>> {
  const desk = deps.approvals;
  const row = desk && (await getCall(desk, callId));
  if (desk === undefined || row?.agent !== agent) {
    throw new AppError(
      "not_found",
      "tool_call_not_found",
      `Agent ${agent} waits for no tool call ${callId}.`,
    );
  }
  return answerCall(deps, desk, callId, { output: outputIn(content) }, caller);
}

/** Objects and lists as what they are, so that the model is not shown text within text. */
function outputIn(content: string): unknown {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null ? value : content;
  } catch {
    return content;
  }
}
