import type { Message, ModelRequest, ToolSpec } from "../models/model.ts";

/** Maximum tokens of a message in addition to its text: role and separators. */
const tokensPerMessageMax = 8;

/**
 * Upper bound for any vendor's count of an image: OpenAI's gpt-4o-mini counts 2,833 and 5,667 for each of at most 8 tiles
 * (platform.openai.com, "Images and vision").
 */
const tokensPerImageMax = 48_169;

/** Cached because the tool list is the same for every call of an agent. */
const boundsOfTools = new WeakMap<readonly ToolSpec[], number>();

/**
 * Upper bound for the tokens of a request. No vocabulary splits below the byte, so a token is at least one byte of UTF-8, and each message
 * has a frame. Text that a vendor adds to explain tools to its model is covered while it is less than the surplus of bytes over tokens,
 * which is three of four in ordinary text.
 */
export function inputTokensMax({
  messages,
  tools,
  answerSchema,
}: Pick<ModelRequest, "messages" | "tools" | "answerSchema">): number {
  const schema = answerSchema === undefined ? 0 : Buffer.byteLength(JSON.stringify(answerSchema));
  return messages.reduce((sum, message) => sum + boundOfMessage(message), boundOfTools(tools) + schema);
}

function boundOfMessage(message: Message): number {
  let bytes = Buffer.byteLength(message.content);
  if (message.role === "user") bytes += (message.images?.length ?? 0) * tokensPerImageMax;
  if (message.role === "assistant") {
    if (message.toolCalls) bytes += Buffer.byteLength(JSON.stringify(message.toolCalls));
    if (message.echo) bytes += Buffer.byteLength(JSON.stringify(message.echo.content) ?? "");
  }
  if (message.role === "tool") bytes += Buffer.byteLength(message.name) + Buffer.byteLength(message.callId);
  return bytes + tokensPerMessageMax;
}

function boundOfTools(tools: readonly ToolSpec[]): number {
  if (tools.length === 0) return 0;
  let bound = boundsOfTools.get(tools);
  if (bound === undefined) {
    bound = Buffer.byteLength(JSON.stringify(tools)) + tools.length * tokensPerMessageMax;
    boundsOfTools.set(tools, bound);
  }
  return bound;
}

/** Minimum answer, in tokens, that is worth a call. */
export const answerTokensMin = 16;

/**
 * Default limit on an answer under a budget, which every chat model accepts. A larger one would hold back money that hardly any answer
 * needs, and several vendors refuse a larger `max_tokens`.
 */
export const answerTokensUsual = 4096;

/** The same for a small context window: a quarter of it, so that the prompt has room. */
export function usualAnswerTokens(contextWindow: number): number {
  return Math.max(answerTokensMin, Math.min(answerTokensUsual, Math.floor(contextWindow / 4)));
}
