import type { AgentManifest } from "../../manifest/agent/agent.ts";
import type { Message } from "../models/model.ts";
import { estimateTokens, tokensPerMessage } from "../models/token-count.ts";
import type { Turn } from "./conversation.ts";

/** The part of a conversation that is sent to the model. `turnsMax` counts messages: a question and its answer are two. */
export type MemoryStrategy =
  | { name: "sliding_window"; turnsMax: number }
  | { name: "token_budget"; turnsMax: number; tokensMax: number }
  | SummaryStrategy;

/**
 * As `token_budget`, but turns outside the window are summarized in at most `charsMax` characters, which count toward the budget. Turns that
 * could not be summarized stay in the window, beyond its limits.
 */
export interface SummaryStrategy {
  name: "summary";
  turnsMax: number;
  tokensMax: number;
  charsMax: number;
}

/**
 * The latest of `turns` (oldest first) that fit the strategy next to a summary of `summaryTokens`, and in any case the last `unsummarized`
 * of them.
 */
export function selectTurns(
  strategy: MemoryStrategy,
  turns: readonly Turn[],
  summaryTokens = 0,
  unsummarized = 0,
): Turn[] {
  const tokensMax = strategy.name === "sliding_window" ? Number.POSITIVE_INFINITY : strategy.tokensMax;
  const window = fitTurns(turns.slice(-strategy.turnsMax), tokensMax - summaryTokens);
  return window.length >= unsummarized
    ? window
    : fitTurns(turns.slice(-unsummarized), Number.POSITIVE_INFINITY);
}

/** The turns of `window`, as recalled for a run, that it shows. With summaries, the window was selected by what they cover. */
export function shownTurns(strategy: MemoryStrategy, window: readonly Turn[]): readonly Turn[] {
  return strategy.name === "summary" ? window : selectTurns(strategy, window);
}

export type ConversationSettings = NonNullable<AgentManifest["spec"]["memory"]["conversational"]>;

/** Longest summary, in characters, and its lower bound for small token budgets: a shorter one would be useless. */
const summaryCharsMax = 8_000;
const summaryCharsMin = 200;

/** The declared memory strategy. Without settings, an agent remembers the last 50 messages of a session. */
export function declaredStrategy(settings: ConversationSettings | undefined): MemoryStrategy {
  const {
    strategy = "sliding_window",
    max_turns: turnsMax = 50,
    token_budget: budget = 4000,
  } = settings ?? {};
  if (strategy === "sliding_window") return { name: strategy, turnsMax };
  if (strategy === "token_budget") return { name: strategy, turnsMax, tokensMax: budget };
  // A token may be a single character. A summary takes at most half of the token budget.
  const charsMax = Math.min(summaryCharsMax, Math.max(summaryCharsMin, Math.floor(budget / 2)));
  return { name: "summary", turnsMax, tokensMax: budget, charsMax };
}

/**
 * The latest turns that fit into `tokensMax`, oldest first. Never starts with an answer whose question was cut off, so the model always
 * receives whole exchanges. What was said without a run, such as a first message of ours, has no question.
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
  while (isAnswer(turns[first])) first++;
  return turns.slice(first);
}

const isAnswer = (turn: Turn | undefined) => turn?.role === "assistant" && turn.metadata.told !== true;

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

/**
 * The message of each turn. A cached turn keeps its message, and with it what the providers keep by message: its JSON. A turn and a
 * message never change.
 */
const messages = new WeakMap<Turn, Message>();

/** Turns as messages for a model; the same turn gives the same message. */
export function turnMessages(turns: readonly Turn[]): Message[] {
  return turns.map((turn) => {
    const known = messages.get(turn);
    if (known !== undefined) return known;
    const message: Message = { role: turn.role, content: turn.content };
    messages.set(turn, message);
    return message;
  });
}

/** The user's place before a message of ours that begins. */
const oursFollows = "[Our message follows.]";

/**
 * The messages in turns of user and assistant, from the user on, because many servers require it. What one of them said in a row, without a
 * run between, is one message.
 */
export function alternating(messages: readonly Message[]): Message[] {
  const beginsWithUs = messages[0]?.role === "assistant";
  const made: Message[] = beginsWithUs ? [{ role: "user", content: oursFollows }] : [];
  for (const message of messages) {
    const last = made.at(-1);
    if (last?.role !== message.role || last.role === "tool") made.push(message);
    else made.splice(-1, 1, { ...last, ...message, content: `${last.content}\n\n${message.content}` });
  }
  return made;
}
