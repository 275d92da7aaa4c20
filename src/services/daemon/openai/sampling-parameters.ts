import type { ChatCompletionRequest } from "../../../contracts/daemon/openai.ts";
import type { ModelParameters } from "../../../engine/models/model.ts";

/** Converts the request's sampling parameters for models. */
export function samplingParameters(request: ChatCompletionRequest): ModelParameters {
  const maxTokens = request.max_completion_tokens ?? request.max_tokens;
  const stop = typeof request.stop === "string" ? [request.stop] : request.stop;
  const given = {
    temperature: request.temperature,
    top_p: request.top_p,
    top_k: request.top_k,
    max_tokens: maxTokens,
    frequency_penalty: request.frequency_penalty,
    presence_penalty: request.presence_penalty,
    stop,
    seed: request.seed,
    reasoning_effort: request.reasoning_effort,
    parallel_tool_calls: request.parallel_tool_calls,
  };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  );
}
