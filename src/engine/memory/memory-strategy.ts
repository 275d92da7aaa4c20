import type { Turn } from "./conversation.ts";
import { fitTurns } from "./history-window.ts";

/** How much of a conversation goes to the model. `turnsMax` counts messages: a question and its answer are two. */
export type MemoryStrategy =
  | { name: "sliding_window"; turnsMax: number }
  | { name: "token_budget"; turnsMax: number; tokensMax: number };

/** Applies the strategy, then the room that the model's window leaves. `turns` are oldest first. */
export function selectTurns(strategy: MemoryStrategy, turns: readonly Turn[], tokensLeft: number): Turn[] {
  const windowed = turns.slice(-strategy.turnsMax);
  const tokensMax = strategy.name === "token_budget" ? Math.min(strategy.tokensMax, tokensLeft) : tokensLeft;
  return fitTurns(windowed, tokensMax);
}
