import type { Turn } from "../conversation.ts";
import type { SummaryProgress } from "../conversation-summary.ts";
import { type SummaryStrategy, selectTurns } from "../memory-strategy.ts";

/**
 * Position up to which a session has to be summarized now; undefined if every turn outside the window has been summarized. The summary also
 * covers the older half of the window, so that it is needed less often; those turns stay in the window. `latest`: the last turns of the
 * session, as many as the window holds.
 */
export function planMerge(
  strategy: SummaryStrategy,
  latest: readonly Turn[],
  { lastSeq, upTo, tokenCount }: SummaryProgress,
): number | undefined {
  const shown = selectTurns(strategy, latest, tokenCount);
  if (lastSeq - shown.length <= upTo) return undefined;
  let first = Math.ceil(shown.length / 2);
  // Does not split an exchange.
  while (first > 0 && shown[first]?.role === "assistant") first--;
  return lastSeq - (shown.length - first);
}
