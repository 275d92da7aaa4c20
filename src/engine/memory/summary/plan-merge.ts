import type { Turn } from "../conversation.ts";
import type { SummaryProgress } from "../conversation-summary.ts";
import { type SummaryStrategy, selectTurns } from "../memory-strategy.ts";

/**
 * Up to which position a session is to be summed up now; undefined while all that is outside of the window has been. The
 * older half of the window goes with it, so that a summary is made once in many turns; it stays in view all the same.
 * `latest` are the session's last turns, as many as the window holds.
 */
export function planMerge(
  strategy: SummaryStrategy,
  latest: readonly Turn[],
  { lastSeq, upTo, tokenCount }: SummaryProgress,
): number | undefined {
  const shown = selectTurns(strategy, latest, tokenCount);
  if (lastSeq - shown.length <= upTo) return undefined;
  let first = Math.ceil(shown.length / 2);
  // Whole exchanges.
  while (first > 0 && shown[first]?.role === "assistant") first--;
  return lastSeq - (shown.length - first);
}
