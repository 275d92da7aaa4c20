import { addCosts } from "../../../../contracts/runtime/add-costs.ts";
import type { RuntimeUsage } from "../../../../contracts/runtime/runs.ts";
import type { InvocationRow } from "../schema.ts";

type StoredUsage = Pick<InvocationRow, "byModel" | "engineCosts" | "usageEstimated">;

/** Returns the usage of a run as it was settled. */
export const usageOf = ({ byModel, engineCosts, usageEstimated }: StoredUsage): RuntimeUsage[] =>
  byModel.map(({ tokens: _, ...line }, index) => ({
    ...line,
    estimated: usageEstimated,
    cost_micros: engineCosts?.[index] ?? null,
  }));

/** Columns of a run's usage. */
export const storedUsage = (usage: readonly RuntimeUsage[]) => ({
  tokensIn: usage.reduce((sum, { tokens_in }) => sum + tokens_in, 0),
  tokensOut: usage.reduce((sum, { tokens_out }) => sum + tokens_out, 0),
  byModel: usage.map(({ provider, model, role, tokens_in, tokens_out, tokens_cached }) => ({
    provider,
    model,
    role,
    tokens_in,
    tokens_out,
    tokens: tokens_in + tokens_out,
    tokens_cached,
  })),
  engineCosts: usage.map(({ cost_micros }) => cost_micros ?? null),
});

/** Merges a run's usage before and after a pause, by model and role. */
export function mergeUsage(run: StoredUsage, usage: readonly RuntimeUsage[]): RuntimeUsage[] {
  const merged = new Map<string, RuntimeUsage>();
  for (const line of [...usageOf(run), ...usage]) {
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
  cost_micros: addCosts(one.cost_micros, other.cost_micros),
});
