import type { ModelRequest } from "./model.ts";

/*
 * Estimates tokens without a tokenizer: no vocabulary fits all vendors, and loading one needs more memory than the daemon has. Byte-pair
 * vocabularies use about one token for four Latin letters, digits or spaces, for two punctuation marks (JSON, code), for two letters of
 * other alphabets, and for one ideograph. Characters outside the basic plane, such as emoji, take about two. This is a rule of thumb, not a
 * measurement of any vendor. It is used where an estimate is sufficient (memory budgets, usage that a provider did not report), and is
 * marked as an estimate where it is shown.
 */

/** Tokens of a message in addition to its text: role and separators. */
export const tokensPerMessage = 4;

/** An image of about one megapixel: vendors count 765 (OpenAI, high detail) to 1,600 (Anthropic) tokens for it. */
const tokensPerImage = 1200;

/** Estimated tokens of `text`; 0 only for the empty text. Linear in its length. */
export function estimateTokens(text: string): number {
  return Math.ceil(tokenQuarters(text) / 4);
}

/** As `estimateTokens`, in quarters of tokens, which can be summed over the pieces of a text. */
export function tokenQuarters(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) quarters += quartersOf(text.charCodeAt(at));
  return quarters;
}

function quartersOf(code: number): number {
  if (code < 0x80) {
    const isWordOrSpace =
      code <= 0x20 ||
      (code >= 0x30 && code <= 0x39) ||
      (code >= 0x41 && code <= 0x5a) ||
      (code >= 0x61 && code <= 0x7a);
    return isWordOrSpace ? 1 : 2;
  }
  return code < 0x2e80 ? 2 : 4;
}

/** Estimated tokens of a request's messages and tools. */
export function estimateRequestTokens(request: Pick<ModelRequest, "messages" | "tools">): number {
  let tokens = request.tools.length === 0 ? 0 : estimateTokens(JSON.stringify(request.tools));
  for (const message of request.messages) {
    tokens += tokensPerMessage + estimateTokens(message.content);
    if (message.role === "user") tokens += (message.images?.length ?? 0) * tokensPerImage;
    if (message.role !== "assistant") continue;
    if (message.toolCalls) tokens += estimateTokens(JSON.stringify(message.toolCalls));
    // The model also reads thoughts that are sent back. An echo that repeats the text counts it twice, which is on the safe side.
    if (message.echo) tokens += estimateTokens(JSON.stringify(message.echo.content));
  }
  return tokens;
}
