import { visibleText } from "../../kit/text/visible-text.ts";
import { estimateTokens } from "../models/token-count.ts";
import type { ToolResult } from "./tool.ts";

/**
 * A tool's result for the model, `resultText`. Invisible characters are removed, because any tool may return a stranger's text. A text longer
 * than `tokensMax` is cut, with a note on the missing length.
 */
export function trimResult(resultText: string, tokensMax: number): string {
  return trimText(visibleText(resultText), tokensMax);
}

/** The text, cut to `tokensMax` with a note on the missing length. */
export function trimText(text: string, tokensMax: number): string {
  const tokens = estimateTokens(text);
  if (tokens <= tokensMax) return text;
  let keptChars = Math.floor((text.length * tokensMax) / tokens);
  while (keptChars > 0 && estimateTokens(text.slice(0, keptChars)) > tokensMax)
    keptChars = Math.floor(keptChars * 0.9);
  if (isHighSurrogate(text.charCodeAt(keptChars - 1))) keptChars--;
  return `${text.slice(0, keptChars)}\n[${text.length - keptChars} of ${text.length} characters left out]`;
}

/** The data of a result as text or JSON, or the error. */
export function textOfResult(result: ToolResult): string {
  if (!result.success) return JSON.stringify({ success: false, error: result.error });
  return typeof result.data === "string" ? result.data : (JSON.stringify(result.data) ?? "");
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
