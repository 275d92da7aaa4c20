import type { ChatCompletionRequest } from "../../../contracts/daemon/openai.ts";
import type { Message, ModelEvent, ModelParameters, ModelRequest } from "../../../engine/models/model.ts";
import { AppError } from "../../../kit/app-error.ts";
import { countDirectCall } from "../costs/count-direct-call.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";
import { admitRun } from "../runs/admit-run.ts";
import { runInput } from "../runs/run-input.ts";
import { invalid, readMessages } from "./chat-messages.ts";

/** What both kinds of target need of a request. */
export interface CompletionCaller {
  signal: AbortSignal;
  requestId: string;
}

/** The answer to a Chat Completions request as model events, from the agent or the model that `model` names. */
export function completionEvents(
  deps: DaemonDeps,
  request: ChatCompletionRequest,
  caller: CompletionCaller,
): AsyncGenerator<ModelEvent, void> {
  const slash = request.model.indexOf("/");
  const target = request.model.slice(0, Math.max(0, slash));
  const name = request.model.slice(slash + 1);
  if (target === "agent") return agentEvents(deps, name, request, caller);
  if (target !== "" && name !== "") return modelEvents(deps, target, name, request, caller);
  throw new AppError("not_found", "model_not_found", `There is no model ${JSON.stringify(request.model)}.`, {
    details: { hint: "Name it agent/<name> or <provider>/<model>; GET /v1/models lists what there is." },
  });
}

async function* agentEvents(
  deps: DaemonDeps,
  name: string,
  request: ChatCompletionRequest,
  caller: CompletionCaller,
): AsyncGenerator<ModelEvent, void> {
  const agent = deps.catalog.get(name);
  if (request.tools !== undefined && request.tools.length > 0) {
    throw invalid("tools", "can't be given to an agent, which brings its own");
  }
  if (request.tool_choice === "none")
    throw invalid("tool_choice", "can't be none for an agent, which uses its own tools");
  const messages = readMessages(request);
  const last = messages.at(-1);
  if (last?.role !== "user" || last.content === "") {
    throw invalid("messages", "must end with what the user says");
  }
  const sessionId = request.metadata?.session_id ?? request.user;
  const stream = request.stream === true;
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
  for await (const event of admitRun(deps, agent, run)) {
    if (event.type === "token") yield { type: "text", text: event.content };
    if (event.type !== "done") continue;
    yield { type: "end", finish: event.finish, usage: event.usage };
  }
}

async function* modelEvents(
  deps: DaemonDeps,
  provider: string,
  model: string,
  request: ChatCompletionRequest,
  caller: CompletionCaller,
): AsyncGenerator<ModelEvent, void> {
  const router = deps.routerFor(provider, model);
  const leave = await deps.gate.enter(caller.signal);
  try {
    const messages: Message[] = readMessages(request);
    const tools = (request.tools ?? []).map(({ function: tool }) => ({
      name: tool.name,
      description: tool.description ?? "",
      parameters: tool.parameters ?? { type: "object", properties: {} },
    }));
    const asked: ModelRequest = {
      messages,
      tools,
      toolChoice: request.tool_choice ?? "auto",
      stream: request.stream === true,
      parameters: samplingParameters(request),
    };
    const events = router.call(asked, AbortSignal.any([caller.signal, deps.stopping]));
    const { usage, clock } = deps.runs;
    yield* countDirectCall(events, { tenant: operatorTenant, request: asked, usage, clock });
  } finally {
    leave();
  }
}

function samplingParameters(request: ChatCompletionRequest): ModelParameters {
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  const stop = typeof request.stop === "string" ? [request.stop] : request.stop;
  const given = {
    temperature: request.temperature,
    top_p: request.top_p,
    max_tokens: maxTokens,
    frequency_penalty: request.frequency_penalty,
    presence_penalty: request.presence_penalty,
    stop,
  };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  );
}
