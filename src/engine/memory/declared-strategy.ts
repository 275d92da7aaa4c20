import type { AgentManifest } from "../../manifest/agent.ts";
import type { MemoryStrategy } from "./memory-strategy.ts";

export type ConversationSettings = NonNullable<AgentManifest["spec"]["memory"]["conversational"]>;

/** The longest summary, in characters; and a shorter one says nothing. */
const summaryCharsMax = 8_000;
const summaryCharsMin = 200;

/** How an agent remembers; one that says nothing of memory remembers its sessions all the same: the last 50 messages. */
export function declaredStrategy(settings: ConversationSettings | undefined): MemoryStrategy {
  const {
    strategy = "sliding_window",
    max_turns: turnsMax = 50,
    token_budget: budget = 4000,
  } = settings ?? {};
  if (strategy === "sliding_window") return { name: strategy, turnsMax };
  if (strategy === "token_budget") return { name: strategy, turnsMax, tokensMax: budget };
  // A token may be a single character; a summary never takes more than half of what there is.
  const charsMax = Math.min(summaryCharsMax, Math.max(summaryCharsMin, Math.floor(budget / 2)));
  return { name: "summary", turnsMax, tokensMax: budget, charsMax };
}
