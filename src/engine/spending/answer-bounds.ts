/** An answer shorter than this is not worth its call. */
export const answerTokensMin = 16;

/**
 * What an answer is held to under a budget where neither the agent nor the caller bounds it: what every chat model may be
 * asked for. More would keep money back that nearly no answer needs, and several vendors refuse a larger `max_tokens`.
 */
export const answerTokensUsual = 4096;

/** The same for a model that reads little: a quarter of its window, so that the prompt has room beside the answer. */
export function usualAnswerTokens(contextWindow: number): number {
  return Math.max(answerTokensMin, Math.min(answerTokensUsual, Math.floor(contextWindow / 4)));
}
