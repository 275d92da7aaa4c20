/** One call of a tool, as a model asked for it. */
export interface ToolCall {
  id: string;
  name: string;
  /** The arguments object; empty when `unparsable` is set. */
  input: Record<string, unknown>;
  /** The raw text of arguments that were no JSON object: reported to the model, never executed. */
  unparsable?: string;
}

/** What a provider wants back when a turn of its own is sent to it again, such as its signed thoughts: opaque to all others. */
export interface Echo {
  /** Whom it is for: another model, or the same one under other instructions, does without it. */
  of: string;
  /** Plain data. */
  content: unknown;
}

/** A picture in a user's message, with its bytes in base64. */
export interface ImagePart {
  mediaType: ImageType;
  data: string;
}

/** The formats that every vendor's models read. */
export type ImageType = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

export type Message =
  | { role: "system"; content: string }
  | { role: "user"; content: string; images?: readonly ImagePart[] }
  | { role: "assistant"; content: string; toolCalls?: readonly ToolCall[]; echo?: Echo }
  | { role: "tool"; callId: string; name: string; content: string };

/** A tool as a model sees it; `parameters` is a JSON Schema of type object. */
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
}

/**
 * Tools that the model may call. `none` keeps the tools in the prompt, so that caches stay warm, and forbids calls;
 * `required` asks for at least one call, `{tool}` for a call of that tool. Some servers don't obey the last two.
 */
export type ToolChoice = "auto" | "none" | "required" | { tool: string };

export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly ToolSpec[];
  toolChoice: ToolChoice;
  /** True when someone reads tokens as they come; false lets the provider answer in one piece. */
  stream: boolean;
  /** What this call wants other than the parameters the model was built with. */
  parameters?: ModelParameters;
  /** Tokens the answer may have at most, whatever the parameters say: what a limit or a budget still covers. */
  answerTokensMax?: number;
  /** The shape the whole answer is to have, for providers that can be held to it; others pass over it. */
  answerSchema?: AnswerSchema;
}

/** The shape of an answer: a JSON Schema under a name. */
export interface AnswerSchema {
  name: string;
  schema: Record<string, unknown>;
}

/** Tokens of one call. `cachedTokens` is part of `inputTokens`; `estimated` when the provider reported none and we counted. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens: number;
  /** Another part of `inputTokens`: what the provider wrote to its cache, where it says so. */
  writtenTokens?: number;
  estimated: boolean;
}

export type FinishReason = "stop" | "tool_calls" | "length" | "content_filter";

/** What a model call yields: text pieces and tool calls in order, then exactly one `end`. */
export type ModelEvent =
  | { type: "text"; text: string }
  | { type: "tool_call"; call: ToolCall }
  | { type: "end"; finish: FinishReason; usage: Usage; echo?: Echo };

/** What a model can do; a model that says nothing is taken to use tools and to stream, and not to see. */
export interface ModelCapabilities {
  tools: boolean;
  vision: boolean;
  streaming: boolean;
}

/** A model at a provider, ready to be called: endpoint, key, parameters and time limit are inside. */
export interface Model {
  /** The provider's name in the agent's manifest or providers.yaml; the breaker's key together with `endpoint`. */
  provider: string;
  model: string;
  /** Address of the server; undefined for in-process models. */
  endpoint?: string;
  /** Whose key and address it is when not the operator's default: separates the breakers of those who share a provider. */
  account?: string;
  /** Whether the call stays on this machine or network of the operator: priced zero. */
  local: boolean;
  /** Whether answers come from the rehearsal stand-in and must be marked `simulated`. */
  simulated: boolean;
  contextWindow: number;
  /** Tokens of its longest answer, where its parameters bound it. */
  answerTokensMax?: number;
  /** Texts that end its answers, where its parameters name some. */
  stops?: readonly string[];
  capabilities?: ModelCapabilities;
  /**
   * Calls the model. Throws ModelFailure; never retries by itself; stops at once when `signal` aborts
   * (the connection is closed) and then throws the signal's reason.
   */
  call(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
  /** Asks whether the server can be reached, without spending tokens. Throws ModelFailure when not. */
  probe?(signal: AbortSignal): Promise<void>;
}

/** Tells if a message of the request shows an image. */
export function showsImages({ messages }: Pick<ModelRequest, "messages">): boolean {
  return messages.some((message) => message.role === "user" && message.images !== undefined);
}
