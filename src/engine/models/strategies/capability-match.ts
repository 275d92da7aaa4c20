import { type ModelCapabilities, type ModelRequest, showsImages } from "../model.ts";
import { estimateRequestTokens } from "../token-count.ts";
import type { Standing, Strategy } from "./strategy.ts";

const assumed: ModelCapabilities = { tools: true, vision: false, streaming: true };

/**
 * Fewest unmet needs first: tools if the request offers some, vision if it contains images, streaming if it streams, and a window that fits
 * the prompt.
 */
export const capabilityMatch: Strategy = (candidates, call) => {
  const tokens = estimateRequestTokens(call.request);
  const unmet = new Map(
    candidates.map((candidate) => [candidate, unmetNeeds(candidate, call.request, tokens)] as const),
  );
  return candidates.toSorted((a, b) => (unmet.get(a) ?? 0) - (unmet.get(b) ?? 0));
};

function unmetNeeds({ model }: Standing, request: ModelRequest, tokens: number): number {
  const { tools, vision, streaming } = model.capabilities ?? assumed;
  const offersTools = request.tools.length > 0 && request.toolChoice !== "none";
  return (
    Number(offersTools && !tools) +
    Number(showsImages(request) && !vision) +
    Number(request.stream && !streaming) +
    Number(tokens > model.contextWindow)
  );
}
