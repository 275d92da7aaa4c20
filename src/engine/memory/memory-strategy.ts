import type { Turn } from "./conversation.ts";
import { fitTurns } from "./history-window.ts";

/** How much of a conversation goes to the model. `turnsMax` counts messages: a question and its answer are two. */
export type MemoryStrategy =
  | { name: "sliding_window"; turnsMax: number }
  | { name: "token_budget"; turnsMax: number; tokensMax: number };

/** The latest of `turns`, which are oldest first, that the strategy lets through. */
export function selectTurns(strategy: MemoryStrategy, turns: readonly Turn[]): Turn[] {
  const tokensMax = strategy.name === "token_budget" ? strategy.tokensMax : Number.POSITIVE_INFINITY;
  return fitTurns(turns.slice(-strategy.turnsMax), tokensMax);
}
