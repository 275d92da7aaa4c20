import type { ChatCompletionRequest } from "../../../contracts/daemon/openai.ts";
import type { Message, ModelEvent, ModelRequest } from "../../../engine/models/model.ts";
import { AppError } from "../../../kit/app-error.ts";
import { countDirectCall } from "../costs/count-direct-call.ts";
import { type DaemonDeps, operatorTenant } from "../deps.ts";
import { agentEvents } from "./agent-completion.ts";
import { readMessages } from "./chat-messages.ts";
import { samplingParameters } from "./sampling-parameters.ts";

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
