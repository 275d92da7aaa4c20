import type { AgentManifest } from "../../manifest/agent/agent.ts";
import type { MemoryStrategy } from "./memory-strategy.ts";

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
