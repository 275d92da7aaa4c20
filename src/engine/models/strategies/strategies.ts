import { capabilityMatch } from "./capability-match.ts";
import { costOptimized } from "./cost-optimized.ts";
import { latencyOptimized } from "./latency-optimized.ts";
import { qualityFirst } from "./quality-first.ts";
import { roundRobin } from "./round-robin.ts";
import type { Strategy } from "./strategy.ts";

/** Routing strategies by their names in manifests. */
export const strategies = {
  quality_first: qualityFirst,
  cost_optimized: costOptimized,
  latency_optimized: latencyOptimized,
  round_robin: roundRobin,
  capability_match: capabilityMatch,
} satisfies Record<string, Strategy>;

export type StrategyName = keyof typeof strategies;
