import { stemsOf } from "./words.ts";

const asksForEarlier =
  /\b(?:did|have) i (?:just )?(?:say|said|ask|asked|tell|told|write|written|mention|mentioned)\b|\bi (?:said|asked|told|mentioned|wrote)\b.{0,80}\b(?:earlier|before|previously|last)\b|\bdo you (?:still )?(?:remember|recall)\b|\bmy (?:first|last|previous|earlier) (?:message|question|words)\b|\bwhat (?:was|were) (?:i|we) (?:saying|talking|asking)\b/i;
const asksForOwn = /^\W*(?:what|which|who|where|when)(?:'s| is| are| was| were)? my\b/i;

/** Whether the query asks what was said before. */
export function asksForRecall(query: string): boolean {
  return asksForEarlier.test(query);
}

/** Whether the query asks for something of the user's own, which may have been said before. */
export function mayAskForRecall(query: string): boolean {
  return asksForOwn.test(query);
}

/** What the user said earlier: the message that shares most words with the query, else the latest. */
export function recall(query: string, earlier: readonly string[]): string {
  const latest = earlier.at(-1);
  if (latest === undefined) return "You have said nothing earlier in this conversation.";
  const sought = stemsOf(query);
  let best = latest;
  let shared = 0;
  for (const message of earlier) {
    if (asksForRecall(message) || mayAskForRecall(message)) continue;
    const common = [...stemsOf(message)].filter((word) => sought.has(word)).length;
    if (common >= shared && common > 0) {
      best = message;
      shared = common;
    }
  }
  return `You said earlier: “${best.length > 500 ? `${best.slice(0, 500)}…` : best}”.`;
}
