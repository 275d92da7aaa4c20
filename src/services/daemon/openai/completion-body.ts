import type { FinishReason, ToolCall, Usage } from "../../../engine/models/model.ts";

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
  /** What the model thought, if the server tells. */
  thoughts?: string;
}

/** Creates the whole answer (`chat.completion`). */
export function completionBody(
  head: CompletionHead,
  message: { content: string; toolCalls: readonly ToolCall[] },
  end: CompletionEnd,
): object {
  const toolCalls = message.toolCalls.map((call) => wireCall(call));
  return {
    ...head,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: message.content === "" && toolCalls.length > 0 ? null : message.content,
          ...(end.thoughts && { reasoning_content: end.thoughts }),
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
