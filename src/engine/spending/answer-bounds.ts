/** Minimum answer, in tokens, that is worth a call. */
export const answerTokensMin = 16;

/**
 * Default limit on an answer under a budget, which every chat model accepts. A larger one would hold back money that hardly any answer
 * needs, and several vendors refuse a larger `max_tokens`.
 */
export const answerTokensUsual = 4096;

/** The same for a small context window: a quarter of it, so that the prompt has room. */
export function usualAnswerTokens(contextWindow: number): number {
  return Math.max(answerTokensMin, Math.min(answerTokensUsual, Math.floor(contextWindow / 4)));
}
