import type { RuntimeLimits } from "../../../../contracts/runtime/runs.ts";
import type { PlanRow } from "../../plans/schema.ts";
import type { RunSettings } from "../deps.ts";
import type { Admitted } from "./admission.ts";

/** Limits that the runtime enforces for a run: the lower one of two plans. Tokens used before count against the limit. */
export function runLimits(
  { hold, plans }: Admitted,
  { runTimeoutMs }: Pick<RunSettings, "runTimeoutMs">,
  usedTokens = 0,
): RuntimeLimits {
  const callTokens = lowest(plans, ({ maxTokensPerCall }) => maxTokensPerCall);
  const iterations = lowest(plans, ({ maxIterations }) => maxIterations);
  return {
    total_tokens: Math.max(1, hold.tokens - usedTokens),
    timeout_ms: runTimeoutMs,
    ...(callTokens === undefined ? {} : { call_tokens: callTokens }),
    ...(iterations === undefined ? {} : { iterations }),
  };
}

function lowest(
  { tenant, subscription }: Admitted["plans"],
  limitOf: (plan: PlanRow) => number | null,
): number | undefined {
  const limits = [tenant, subscription].flatMap((plan) => (plan === undefined ? [] : (limitOf(plan) ?? [])));
  return limits.length === 0 ? undefined : Math.min(...limits);
}
