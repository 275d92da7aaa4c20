import { stemsOf } from "./words.ts";

const asksForEarlier =
  /\b(?:did|have) i (?:just )?(?:say|said|ask|asked|tell|told|write|written|mention|mentioned)\b|\bi (?:said|asked|told|mentioned|wrote)\b.{0,80}\b(?:earlier|before|previously|last)\b|\bdo you (?:still )?(?:remember|recall)\b|\bmy (?:first|last|previous|earlier) (?:message|question|words)\b|\bwhat (?:was|were) (?:i|we) (?:saying|talking|asking)\b/i;
const asksForOwn = /^\W*(?:what|which|who|where|when)(?:'s| is| are| was| were)? my\b/i;

/** Returns true if the query asks for something said before. */
export function asksForRecall(query: string): boolean {
  return asksForEarlier.test(query);
}

/** Returns true if the query asks for something about the user, who may have said it before. */
export function mayAskForRecall(query: string): boolean {
  return asksForOwn.test(query);
}

/** The earlier user message that shares the most words with the query, else the latest one. */
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
