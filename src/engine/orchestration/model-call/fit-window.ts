import type { Message, ModelRequest } from "../../models/model.ts";
import { estimateRequestTokens, estimateTokens } from "../../models/token-count.ts";
import { usualAnswerTokens } from "../../spending/call-bounds.ts";
import { trimText } from "../../tools/trim-result.ts";

/** What is left of a shortened result, in tokens: enough to say what it was. */
const keptTokens = 64;

type ToolMessage = Extract<Message, { role: "tool" }>;

/**
 * Shortens the results of tools, the oldest first, until the request and an answer fit into the model's window. Calls keep their results, and
 * nothing else is changed: what does not fit even so is refused by the provider. Returns the request itself if it fits, or if the window is
 * not known: a guess must not cost an answer its facts.
 */
export function fitWindow(
  request: ModelRequest,
  window: number | undefined,
): { request: ModelRequest; shortened: number; leftOutChars: number } {
  const unchanged = { request, shortened: 0, leftOutChars: 0 };
  if (window === undefined || isShort(request, window)) return unchanged;
  const answerTokens = Math.min(request.answerTokensMax ?? Infinity, usualAnswerTokens(window));
  let excess = estimateRequestTokens(request) - (window - answerTokens);
  if (excess <= 0) return unchanged;
  let [shortened, leftOutChars] = [0, 0];
  const messages = request.messages.map((message): Message => {
    if (message.role !== "tool" || excess <= 0) return message;
    const shorter = shorten(message, excess);
    if (shorter === undefined) return message;
    shortened++;
    leftOutChars += message.content.length - shorter.message.content.length;
    excess -= shorter.saved;
    return shorter.message;
  });
  return shortened === 0 ? unchanged : { request: { ...request, messages }, shortened, leftOutChars };
}

/** True if the texts surely fit: no character takes more than a token, and tools and calls take less than half of a window. */
function isShort({ messages }: ModelRequest, window: number): boolean {
  let chars = 0;
  let hasResults = false;
  for (const message of messages) {
    chars += message.content.length;
    hasResults ||= message.role === "tool";
  }
  return !hasResults || chars < window / 2;
}

function shorten(message: ToolMessage, excess: number): { message: ToolMessage; saved: number } | undefined {
  const tokens = estimateTokens(message.content);
  const content = trimText(message.content, Math.max(keptTokens, tokens - excess - noteTokens));
  const saved = tokens - estimateTokens(content);
  return saved <= 0 ? undefined : { message: { ...message, content }, saved };
}

/** The note on what was left out. */
const noteTokens = 16;
