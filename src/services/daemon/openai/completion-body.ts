import type { FinishReason, ThoughtDetail, ToolCall, Usage } from "../../../engine/models/model.ts";

/** Fields in every body and chunk of one completion. */
export interface CompletionHead {
  id: string;
  /** Seconds since 1970. */
  created: number;
  model: string;
}

/** End of a completion, from an agent or a model. */
export interface CompletionEnd {
  finish: FinishReason;
  usage: Omit<Usage, "estimated">;
  /** Micros of USD; absent if unknown, or for an agent. */
  costMicros?: number;
  details?: readonly ThoughtDetail[];
  /** Data that the provider needs back with each call, by its id. */
  extra?: Readonly<Record<string, unknown>>;
}

/** Creates the whole answer (`chat.completion`). */
export function completionBody(
  head: CompletionHead,
  message: { content: string; thoughts: string; toolCalls: readonly ToolCall[] },
  end: CompletionEnd,
): object {
  const toolCalls = message.toolCalls.map((call) => ({ ...wireCall(call), ...extraContent(end, call) }));
  return {
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: message.content === "" && toolCalls.length > 0 ? null : message.content,
          ...(message.thoughts !== "" && { reasoning_content: message.thoughts }),
          ...(end.details && { reasoning_details: end.details }),
          ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
          refusal: null,
        },
        logprobs: null,
        finish_reason: end.finish,
      },
    ],
    usage: {
      ...wireUsage(end.usage),
      // Beyond OpenAI's fields: who names a model wants to know what the call cost.
      ...(end.costMicros !== undefined && { cost_usd: end.costMicros / 1_000_000 }),
    },
  };
}

/** Creates one chunk of a streamed answer (`chat.completion.chunk`). */
export function chunkBody(head: CompletionHead, delta: object, finish: FinishReason | null = null): object {
  return {
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  };
}

/** Creates the last chunk, for clients that requested usage. */
export function usageChunk(head: CompletionHead, usage: CompletionEnd["usage"]): object {
  return { ...head, object: "chat.completion.chunk", choices: [], usage: wireUsage(usage) };
}

/** Converts a tool call for a message, or as a whole for one delta. */
export function wireCall(call: ToolCall, index?: number): object {
  return {
    ...(index === undefined ? {} : { index }),
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: call.unparsable ?? JSON.stringify(call.input) },
  };
}

/** Data that the provider needs back with a call; no field without any. */
function extraContent({ extra }: CompletionEnd, { id }: ToolCall): object {
  return extra?.[id] === undefined ? {} : { extra_content: extra[id] };
}

/** Creates the delta with what a client has to send back with the turn; undefined if that is nothing. */
export function broughtBackDelta(
  { details, extra = {} }: CompletionEnd,
  calls: readonly ToolCall[],
): object | undefined {
  const withExtra = calls.flatMap(({ id }, index) =>
    extra[id] === undefined ? [] : [{ index, extra_content: extra[id] }],
  );
  if (details === undefined && withExtra.length === 0) return undefined;
  return {
    ...(details && { reasoning_details: details }),
    ...(withExtra.length > 0 && { tool_calls: withExtra }),
  };
}

function wireUsage(usage: CompletionEnd["usage"]): object {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens,
      audio_tokens: usage.audioInputTokens ?? 0,
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens ?? 0,
      audio_tokens: usage.audioOutputTokens ?? 0,
    },
  };
}
