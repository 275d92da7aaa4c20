import type { Message, Model, ModelEvent, ModelRequest } from "../model.ts";
import { estimateRequestTokens, estimateTokens } from "../token-count.ts";
import type { ProviderKind } from "./provider-kind.ts";
import { rehearse } from "./rehearsal/rehearse.ts";

const name = "rehearsal";

/** The stand-in that needs no key and no network; its answers are marked simulated. */
export const rehearsalKind: ProviderKind = {
  name,
  aliases: [],
  docs: "A built-in stand-in without a model: picks tools by the words of the query and reports their results.",
  local: true,
  needsEndpoint: false,
  needsKey: false,
  parametersAt: () => [
    "temperature",
    "top_p",
    "top_k",
    "max_tokens",
    "frequency_penalty",
    "presence_penalty",
    "stop",
  ],
  build: ({ model }) => createRehearsal(model),
};

/** A deterministic model: the same messages and tools always give the same answer. */
export function createRehearsal(model = name): Model {
  async function* call(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { text, calls } = rehearse(request);
    for (const piece of request.stream ? (text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) : [text]) {
      signal.throwIfAborted();
      if (piece !== "") yield { type: "text", text: piece };
    }
    signal.throwIfAborted();
    let callsBefore = countCalls(request.messages);
    for (const { tool, input } of calls) {
      yield { type: "tool_call", call: { id: `call_${++callsBefore}`, name: tool, input } };
    }
    const outputTokens = estimateTokens(calls.length === 0 ? text : JSON.stringify(calls));
    const usage = {
      inputTokens: estimateRequestTokens(request),
      outputTokens,
      cachedTokens: 0,
      estimated: true,
    };
    yield { type: "end", finish: calls.length > 0 ? "tool_calls" : "stop", usage };
  }
  return {
    provider: name,
    model,
    local: true,
    simulated: true,
    contextWindow: 32_000,
    call,
    probe: async () => undefined,
  };
}

/** Numbering the calls makes their ids unique in a conversation and the same in each rehearsal of it. */
function countCalls(messages: readonly Message[]): number {
  return messages.reduce(
    (count, message) => count + (message.role === "assistant" ? (message.toolCalls?.length ?? 0) : 0),
    0,
  );
}
