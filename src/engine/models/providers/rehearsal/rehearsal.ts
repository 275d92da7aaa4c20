import { inPieces } from "../../../../kit/concurrency/others-turn.ts";
import type { Message, Model, ModelEvent, ModelParameters, ModelRequest } from "../../model.ts";
import { estimateRequestTokens, estimateTokens, tokenQuarters } from "../../token-count.ts";
import type { ProviderKind } from "../provider-kind.ts";
import { allParameters, callParameters } from "../wire/request-parts.ts";
import { rehearse } from "./rehearse.ts";

const name = "rehearsal";

/** The rehearsal provider, which needs no key and no network; its answers are marked simulated. */
export const rehearsalKind: ProviderKind = {
  name,
  aliases: [],
  docs: "A built-in stand-in without a model: picks tools by the words of the query, searches documents for a question that names no tool, and reports the results.",
  local: true,
  needsEndpoint: false,
  needsKey: false,
  defaultModel: name,
  parametersAt: () => allParameters,
  build: ({ model, parameters }) => createRehearsal(model, parameters),
};

/**
 * A deterministic model: equal messages and tools give equal answers. Of its parameters, only `max_tokens` and `stop` have an effect; the
 * others control randomness, and there is none.
 */
export function createRehearsal(model = name, parameters: ModelParameters = {}): Model {
  async function* call(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { text: whole, calls } = await inPieces(rehearse(request), signal);
    const { text, wasCut } = bounded(whole, callParameters(parameters, request) ?? parameters);
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
    const finish = calls.length > 0 ? "tool_calls" : wasCut ? "length" : "stop";
    yield { type: "end", finish, usage };
  }
  return {
    provider: name,
    model,
    local: true,
    simulated: true,
    contextWindow: 32_000,
    ...(parameters.max_tokens === undefined ? {} : { answerTokensMax: parameters.max_tokens }),
    call,
    probe: async () => undefined,
  };
}

/** Cuts a text at its first stop and at `max_tokens`; `wasCut` is true if the tokens limited it. */
function bounded(
  whole: string,
  { max_tokens: tokensMax, stop = [] }: ModelParameters,
): { text: string; wasCut: boolean } {
  const ends = stop.map((stopText) => whole.indexOf(stopText)).filter((end) => end !== -1);
  const spoken = whole.slice(0, Math.min(whole.length, ...ends));
  if (tokensMax === undefined || estimateTokens(spoken) <= tokensMax) return { text: spoken, wasCut: false };
  let text = "";
  let quarters = 0;
  for (const character of spoken) {
    quarters += tokenQuarters(character);
    if (quarters > tokensMax * 4) break;
    text += character;
  }
  return { text, wasCut: true };
}

/** Number of earlier calls, which makes call ids unique in a conversation and equal in each rehearsal. */
function countCalls(messages: readonly Message[]): number {
  return messages.reduce(
    (count, message) => count + (message.role === "assistant" ? (message.toolCalls?.length ?? 0) : 0),
    0,
  );
}
