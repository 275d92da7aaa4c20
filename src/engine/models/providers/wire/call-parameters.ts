import type { ModelParameters, ModelRequest } from "../../model.ts";

/**
 * The parameters of one call: the model's own, overridden by those of the request, with the answer limit. Undefined if the model's own
 * apply unchanged.
 */
export function callParameters(
  own: ModelParameters,
  { parameters, answerTokensMax }: Pick<ModelRequest, "parameters" | "answerTokensMax">,
): ModelParameters | undefined {
  if (parameters === undefined && answerTokensMax === undefined) return undefined;
  const wanted = { ...own, ...parameters };
  if (answerTokensMax === undefined) return wanted;
  return { ...wanted, max_tokens: Math.min(wanted.max_tokens ?? answerTokensMax, answerTokensMax) };
}
