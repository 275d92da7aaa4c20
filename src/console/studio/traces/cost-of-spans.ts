import type { Span } from "../../../contracts/daemon/runs/run.ts";

/** Returns the sum of the known costs, in US dollars; undefined if no span has one. */
export function costOfSpans(spans: readonly Span[]): number | undefined {
  const costs = spans.map(({ attributes }) => attributes.cost_usd).filter((cost) => typeof cost === "number");
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}
