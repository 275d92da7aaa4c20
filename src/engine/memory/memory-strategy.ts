import type { Turn } from "./conversation.ts";
import { fitTurns } from "./history-window.ts";

/** How much of a conversation goes to the model. `turnsMax` counts messages: a question and its answer are two. */
export type MemoryStrategy =
  | { name: "sliding_window"; turnsMax: number }
  | { name: "token_budget"; turnsMax: number; tokensMax: number }
  | SummaryStrategy;

/** As `token_budget`; what leaves the window is summed up in at most `charsMax` characters, which count as well. */
export interface SummaryStrategy {
  name: "summary";
  turnsMax: number;
  tokensMax: number;
  charsMax: number;
}

/** The latest of `turns`, which are oldest first, that the strategy lets through beside a summary of `summaryTokens`. */
export function selectTurns(strategy: MemoryStrategy, turns: readonly Turn[], summaryTokens = 0): Turn[] {
  const tokensMax = strategy.name === "sliding_window" ? Number.POSITIVE_INFINITY : strategy.tokensMax;
  return fitTurns(turns.slice(-strategy.turnsMax), tokensMax - summaryTokens);
}
