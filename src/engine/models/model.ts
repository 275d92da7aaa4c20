import type { reasoningEfforts } from "../../manifest/agent/model.ts";
import type { AnswerSchema } from "../structured/structured-output.ts";

/*
 * Models: one call of a model as a stream of events. `router.ts` chooses among an agent's candidates by a strategy (`strategies/`) and
 * fails over between them; `providers/` has one kind of provider per file, over the wire formats of `providers/wire/`.
 */

/** A tool call that a model requested. */
export interface ToolCall {
  id: string;
  name: string;
  /** The arguments object; empty when `unparsable` is set. */
  input: Record<string, unknown>;
  /** The raw text of arguments that are not a JSON object. It is reported to the model and never executed. */
  unparsable?: string;
}

/** Data that a provider needs back with its own turn, such as signed thoughts. Other providers ignore it. */
export interface Echo {
  /** Identifies the recipient: another model, or the same model with other instructions, does not get it. */
  of: string;
  /** Plain JSON. */
  content: unknown;
}

/**
 * A part of a model's thoughts as clients carry them between requests: an entry of `reasoning_details` as OpenRouter's API defines it, such
 * as `reasoning.text` with a signature or `reasoning.encrypted`.
 */
export type ThoughtDetail = Readonly<Record<string, unknown>>;

/** What a caller brings back of a model's thoughts with its own turn. A provider takes what it knows, unless it has its `echo`. */
export interface BroughtThoughts {
  text?: string;
  details?: readonly ThoughtDetail[];
  /** Data that Google's models need back with their calls, by the calls' ids. */
  extra?: Readonly<Record<string, unknown>>;
}

/** An image in a user's message, as base64. */
export interface ImagePart {
  mediaType: ImageType;
  data: string;
}

/** Formats that the models of every vendor accept. */
export type ImageType = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

export type Message =
  | { role: "system"; content: string }
  | { role: "user"; content: string; images?: readonly ImagePart[] }
  | {
      role: "assistant";
      content: string;
      toolCalls?: readonly ToolCall[];
      echo?: Echo;
      thoughts?: BroughtThoughts;
    }
  | { role: "tool"; callId: string; name: string; content: string };

/** A tool as sent to a model; `parameters` is a JSON Schema of type object. */
export interface ToolSpec {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface ModelParameters {
  temperature?: number;
  top_p?: number;
  top_k?: number;
  max_tokens?: number;
  frequency_penalty?: number;
  presence_penalty?: number;
  stop?: readonly string[];
  seed?: number;
  reasoning_effort?: ReasoningEffort;
  parallel_tool_calls?: boolean;
}

export type ReasoningEffort = (typeof reasoningEfforts)[number];

/**
 * Tools that the model may call. `none` keeps the tools in the prompt, so that caches stay warm, and forbids calls;
 * `required` asks for at least one call, `{tool}` for a call of that tool. Some servers don't obey the last two.
 */
export type ToolChoice = "auto" | "none" | "required" | { tool: string };

export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly ToolSpec[];
  toolChoice: ToolChoice;
  /** True if a reader wants tokens as they arrive. If false, the provider may answer in one piece. */
  stream: boolean;
  /** True if the caller takes texts that arrived together as one `texts` event. */
  bundles?: boolean;
  /** True if the caller takes thoughts as they arrive. */
  thoughts?: boolean;
  /** Parameters of this call that override those of the model. */
  parameters?: ModelParameters;
  /** Upper limit for the answer's tokens, regardless of the parameters: the rest of a limit or budget. */
  answerTokensMax?: number;
  /** Schema of the whole answer, for providers that can enforce it; others ignore it. */
  answerSchema?: AnswerSchema;
}

/** Tokens of one call. `cachedTokens` is part of `inputTokens`. `estimated`: the provider reported none and we estimated them. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Another part of `inputTokens`: tokens written to the provider's cache, if reported. */
  writtenTokens?: number;
  /** Part of `outputTokens`: thoughts, if reported. */
  reasoningTokens?: number;
  /** Parts of `inputTokens` and `outputTokens`: sound, if reported. */
  audioInputTokens?: number;
  audioOutputTokens?: number;
  estimated: boolean;
}

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter";

/**
 * Events of a model call: text pieces and tool calls in order, then exactly one `end`. `texts` are pieces that arrived together, for a
 * request with `bundles`: an event for each piece costs more than the piece. `thoughts` come only for a request with `thoughts`.
 */
export type ModelEvent =
  | { type: "text"; text: string }
  | { type: "texts"; texts: readonly string[] }
  | { type: "thoughts"; text: string }
  | { type: "tool_call"; call: ToolCall }
  | {
      type: "end";
      finish: FinishReason;
      usage: Usage;
      /** Set if the server may still report the usage: it was estimated so that nobody waits. Never rejects. */
      later?: Promise<LateEnd | undefined>;
      echo?: Echo;
      /** What the model thought before it answered, if the server tells. */
      thoughts?: string;
      /** The thoughts as a client carries them back with the calls. */
      details?: readonly ThoughtDetail[];
      /** Data that the provider needs back with each call, by its id. */
      extra?: Readonly<Record<string, unknown>>;
      /** True if the answer was longer than its tokens can be, so that the rest was not read. */
      isCut?: true;
      /** Only for a caller that named the model itself: micros of USD; absent if the price is unknown. */
      costMicros?: number;
    };

/** Capabilities of a model. If a model declares none, it is assumed to support tools and streaming, but not images. */
export interface ModelCapabilities {
  tools: boolean;
  vision: boolean;
  streaming: boolean;
}

/** What a server said after the end of an answer. */
export interface LateEnd {
  usage: Usage;
  /** Characters of text that came too late to be part of the answer. */
  lostChars: number;
}

/** The event without what is still to come, so that it can be kept. */
export function keptEvent<Event extends { type: string }>(event: Event): Event {
  if (event.type !== "end" || !("later" in event)) return event;
  const { later: _, ...finalEvent } = event;
  return finalEvent as unknown as Event;
}

/** A model at a provider with its endpoint, key, parameters and time limit. */
export interface Model {
  /** The provider's name in the manifest or providers.yaml. Together with `endpoint` it identifies the breaker. */
  provider: string;
  model: string;
  /** Address of the server; undefined for in-process models. */
  endpoint?: string;
  /** Owner of the key and address if it is not the operator. Separates the breakers of callers that share a provider. */
  account?: string;
  /** True if the call stays on the operator's machine or network: its price is zero. */
  local: boolean;
  /** True if answers come from the rehearsal and must be marked `simulated`. */
  simulated: boolean;
  contextWindow: number;
  /** True if nobody set the window: it is the usual one of the kind. */
  hasGuessedWindow?: boolean;
  /** Limit on the answer in tokens, if the parameters set one. */
  answerTokensMax?: number;
  /** Stop texts, if the parameters set any. */
  stops?: readonly string[];
  capabilities?: ModelCapabilities;
  /**
   * Calls the model once, without retries. Throws ModelFailure. If `signal` aborts, closes the connection immediately and throws the
   * signal's reason.
   */
  call(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Checks without spending tokens that the server can be reached. Throws ModelFailure if it can't. */
  probe?(signal: AbortSignal): Promise<void>;
}

/** Returns true if a message of the request contains an image. */
export function showsImages({ messages }: Pick<ModelRequest, "messages">): boolean {
  return messages.some((message) => message.role === "user" && message.images !== undefined);
}
