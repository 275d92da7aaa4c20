import type { ChatCompletionRequest } from "../../../contracts/daemon/openai.ts";
import type { ModelEvent, ModelRequest } from "../../../engine/models/model.ts";
import type { ModelRouter } from "../../../engine/models/model-router.ts";
import { AppError } from "../../../kit/app-error.ts";
import { countDirectCall } from "../costs/count-direct-call.ts";
import { operatorTenant } from "../operator-tenant.ts";
import type { DaemonRag } from "../rag/daemon-rag.ts";
import type { RunDeps } from "../runs/admit-run.ts";
import { locateAgent } from "../runs/locate-agent.ts";
import { agentEvents, type CompletionCaller } from "./agent-completion.ts";
import { answerFormat, toolChoiceOf, withFormat } from "./answer-format.ts";
import { readMessages } from "./chat-messages.ts";
import { jsonAnswer } from "./json-answer.ts";
import type { KeptThoughts } from "./kept-thoughts.ts";
import { toOpenAiError } from "./openai-error.ts";
import { samplingParameters } from "./sampling-parameters.ts";

export interface OpenAiDeps extends RunDeps {
  startedAt: Date;
  rag: DaemonRag;
  /** Returns the router for one model of one provider. Throws `model_not_found` for a provider that isn't configured. */
  routerFor: (provider: string, model: string) => ModelRouter;
  /** The models that the operator's files name. */
  directModels: () => { provider: string; model: string }[];
  thoughts: KeptThoughts;
}

/** Answers a Chat Completions request with model events, from the agent or model that `model` names. */
export function completionEvents(
  deps: OpenAiDeps,
  request: ChatCompletionRequest,
  caller: CompletionCaller,
): AsyncGenerator<ModelEvent, void> {
  const { target, name } = readModelName(request.model);
  return target === "agent"
    ? agentEvents(deps, name, request, caller)
    : modelEvents(deps, target, name, request, caller);
}

/** Throws as a completion would if there is no such agent or provider. */
export async function requireModel(deps: OpenAiDeps, model: string): Promise<void> {
  const { target, name } = readModelName(model);
  if (target === "agent") await locateAgent(deps, name, { sender: "stranger" });
  else deps.routerFor(target, name);
}

/** The agent, or the provider and its model, that a request's `model` names. Throws AppError `model_not_found`. */
function readModelName(model: string): { target: string; name: string } {
  const slash = model.indexOf("/");
  const target = model.slice(0, Math.max(0, slash));
  const name = model.slice(slash + 1);
  if (target === "agent" || (target !== "" && name !== "")) return { target, name };
  throw new AppError("not_found", "model_not_found", `There is no model ${JSON.stringify(model)}.`, {
    details: { hint: "Name it agent/<name> or <provider>/<model>; GET /v1/models lists the models." },
  });
}

async function* modelEvents(
  deps: OpenAiDeps,
  provider: string,
  model: string,
  request: ChatCompletionRequest,
  caller: CompletionCaller,
): AsyncGenerator<ModelEvent, void> {
  const router = deps.routerFor(provider, model);
  const format = await answerFormat(request, caller.formats);
  const given = readMessages(request);
  const messages = deps.thoughts.addTo(request.model, given);
  const toolChoice = toolChoiceOf(request);
  const leave = await deps.gate.enter(caller.signal);
  try {
    const tools = (request.tools ?? []).map(({ function: tool }) => ({
      name: tool.name,
      description: tool.description ?? "",
      parameters: tool.parameters ?? { type: "object", properties: {} },
    }));
    const modelRequest: ModelRequest = {
      messages: format === undefined ? messages : withFormat(messages, format),
      tools,
      toolChoice,
      stream: request.stream === true,
      thoughts: true,
      parameters: samplingParameters(request),
      ...(format && { answerSchema: format.schema }),
    };
    const events = router.call(modelRequest, AbortSignal.any([caller.signal, deps.stopping]));
    const { usage, clock } = deps.runs;
    const counter = caller.isCounted === false ? uncounted : usage;
    const counted = countDirectCall(events, {
      tenant: operatorTenant,
      request: modelRequest,
      usage: counter,
      clock,
    });
    const chosen = heldToChoice(deps.thoughts.keepFrom(counted, request.model, given), request);
    yield* format === undefined ? chosen : jsonAnswer(chosen);
  } catch (thrown) {
    throw toOpenAiError(thrown);
  } finally {
    leave();
  }
}

/** For calls of another node, which counts them itself. */
const uncounted = { record: () => {} };

/**
 * Enforces the request's rules for tool calls, even if the server ignored them: at most one with `parallel_tool_calls: false`. Throws
 * `provider_failed` if a call was required and none came.
 */
async function* heldToChoice(
  events: AsyncIterable<ModelEvent>,
  { tool_choice, parallel_tool_calls, model }: ChatCompletionRequest,
): AsyncGenerator<ModelEvent, void> {
  const isRequired = tool_choice === "required" || typeof (tool_choice ?? "") === "object";
  let calls = 0;
  for await (const event of events) {
    if (event.type === "tool_call" && ++calls > 1 && parallel_tool_calls === false) continue;
    if (event.type === "end" && isRequired && calls === 0) {
      throw new AppError(
        "upstream_failed",
        "provider_failed",
        `${model} called no tool, although tool_choice requires one.`,
        {
          details: { hint: "Not every server supports tool_choice; try another model." },
        },
      );
    }
    yield event;
  }
}
