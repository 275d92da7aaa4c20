import type { Turn } from "./conversation.ts";
import { fitTurns } from "./history-window.ts";

/** The part of a conversation that is sent to the model. `turnsMax` counts messages: a question and its answer are two. */
export type MemoryStrategy =
  | { name: "sliding_window"; turnsMax: number }
  | { name: "token_budget"; turnsMax: number; tokensMax: number }
  | SummaryStrategy;

/** As `token_budget`, but turns outside the window are summarized in at most `charsMax` characters, which count toward the budget. */
export interface SummaryStrategy {
  name: "summary";
  turnsMax: number;
  tokensMax: number;
  charsMax: number;
}

/** The latest of `turns` (oldest first) that fit the strategy next to a summary of `summaryTokens`. */
export function selectTurns(strategy: MemoryStrategy, turns: readonly Turn[], summaryTokens = 0): Turn[] {
  const tokensMax = strategy.name === "sliding_window" ? Number.POSITIVE_INFINITY : strategy.tokensMax;
  return fitTurns(turns.slice(-strategy.turnsMax), tokensMax - summaryTokens);
}
