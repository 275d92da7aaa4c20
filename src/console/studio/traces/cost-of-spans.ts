import type { Span } from "../../../contracts/daemon/run.ts";

/** What the calls with a known price cost, in US dollars; undefined when none had one. */
export function costOfSpans(spans: readonly Span[]): number | undefined {
  const costs = spans.map(({ attributes }) => attributes.cost_usd).filter((cost) => typeof cost === "number");
  return costs.length === 0 ? undefined : costs.reduce((sum, cost) => sum + cost, 0);
}
