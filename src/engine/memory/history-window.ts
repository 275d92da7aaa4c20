import type { Message } from "../models/model.ts";
import { estimateTokens, tokensPerMessage } from "../models/token-count.ts";
import type { Turn } from "./conversation.ts";

/**
 * The latest turns that fit into `tokensMax`, oldest first. Never starts with an answer whose question was cut off, so the model always
 * receives whole exchanges.
 */
export function fitTurns(turns: readonly Turn[], tokensMax: number): Turn[] {
  let tokens = 0;
  let first = turns.length;
  while (first > 0) {
    const turn = turns[first - 1];
    if (turn === undefined) break;
    tokens += turn.tokenCount + tokensPerMessage;
    if (tokens > tokensMax) break;
    first--;
  }
  while (first < turns.length && turns[first]?.role === "assistant") first++;
  return turns.slice(first);
}

/**
 * Tokens of a context window that remain for `turns` after the answer, the prompt and the query. If there is plenty of room, this is a
 * lower bound: no text has more tokens than characters.
 */
export function historyBudget(
  contextWindow: number,
  answerTokens: number,
  fixedTexts: readonly string[],
  turns: readonly Turn[],
): number {
  let tokens = contextWindow - answerTokens;
  const fixedMax = fixedTexts.reduce((sum, text) => sum + text.length + tokensPerMessage, 0);
  const wanted = turns.reduce((sum, turn) => sum + turn.tokenCount + tokensPerMessage, 0);
  if (tokens - fixedMax >= wanted) return tokens - fixedMax;
  for (const text of fixedTexts) tokens -= estimateTokens(text) + tokensPerMessage;
  return Math.max(0, tokens);
}

/** Turns as messages for a model. */
export function turnMessages(turns: readonly Turn[]): Message[] {
  return turns.map((turn) => ({ role: turn.role, content: turn.content }));
}
