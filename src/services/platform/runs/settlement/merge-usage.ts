import type { RuntimeUsage } from "../../../../contracts/runtime/runs.ts";
import type { InvocationRow } from "../schema.ts";

/** Merges a run's usage before and after a pause, by model and role. */
export function mergeUsage(
  { byModel, usageEstimated }: Pick<InvocationRow, "byModel" | "usageEstimated">,
  usage: readonly RuntimeUsage[],
): RuntimeUsage[] {
  const merged = new Map<string, RuntimeUsage>();
  const before = byModel.map(({ tokens: _, ...line }) => ({ ...line, estimated: usageEstimated }));
  for (const line of [...before, ...usage]) {
    const key = JSON.stringify([line.provider, line.model, line.role]);
    const sum = merged.get(key);
    merged.set(key, sum === undefined ? line : added(sum, line));
  }
  return [...merged.values()];
}

const added = (one: RuntimeUsage, other: RuntimeUsage): RuntimeUsage => ({
  ...one,
  tokens_in: one.tokens_in + other.tokens_in,
  tokens_out: one.tokens_out + other.tokens_out,
  tokens_cached: one.tokens_cached + other.tokens_cached,
  estimated: one.estimated || other.estimated,
});
