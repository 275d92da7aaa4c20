import { estimateTokens } from "../models/token-count.ts";
import type { ToolResult } from "./tool.ts";

/** About how many characters stand for a token; see token-count.ts. */
const charsPerToken = 4;

/** A result as the model reads it, cut to about `tokensMax` with a note that says how much is missing. */
export function trimResult(result: ToolResult, tokensMax: number): string {
  const text = result.success ? textOf(result.data) : `Error: ${result.error}`;
  // A token is at least a quarter of a character's worth of text: shorter texts need no count.
  if (text.length <= tokensMax || estimateTokens(text) <= tokensMax) return text;
  const kept = longestWithin(text, tokensMax);
  return `${kept}\n[cut here: ${text.length - kept.length} of ${text.length} characters are left out]`;
}

function textOf(data: unknown): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

/** The longest beginning of at most `tokensMax` estimated tokens, never ending inside a surrogate pair. */
function longestWithin(text: string, tokensMax: number): string {
  let low = 0;
  let high = Math.min(text.length, tokensMax * charsPerToken);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(text.slice(0, middle)) <= tokensMax) low = middle;
    else high = middle - 1;
  }
  const last = text.charCodeAt(low - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? low - 1 : low);
}
