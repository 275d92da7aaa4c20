import type { Span } from "./run.ts";

/** `error` of a `llm.complete` span whose provider was not called, because its circuit was open. */
export const skippedCall = "circuit_open";

/** Attribute of a call that a resumed run repeated from its record. The trace of an earlier part of the run counts it. */
export const playedAttribute = "played";

/** The parts of a span that decide whether it counts. */
type CountedSpan = Pick<Span, "name" | "attributes">;

/** Returns true if a span is a call that reached a provider in this part of the run. */
export function isModelCall({ name, attributes }: CountedSpan): boolean {
  return name === "llm.complete" && attributes.error !== skippedCall && !isPlayed(attributes);
}

/** Returns true if a model call used tokens whose price is unknown. */
export const isUnpriced = ({ input_tokens: used, cost_usd: cost }: Span["attributes"]): boolean =>
  typeof used === "number" && typeof cost !== "number";

/** Returns true if a span is a tool call that this part of the run made. */
export function isToolCall({ name, attributes }: CountedSpan): boolean {
  return name === "tool.call" && !isPlayed(attributes);
}

/** Returns true if a resumed run repeated the call with these attributes from its record. */
export function isPlayed(attributes: Span["attributes"]): boolean {
  return attributes[playedAttribute] === true;
}
