import type { Plan, PlanInput } from "../../../contracts/platform/billing/plans.ts";
import type { PlanRow } from "./schema.ts";

export function presentPlan(row: PlanRow): Plan {
  return {
    id: row.id,
    name: row.name,
    argo_code: row.argoCode,
    max_concurrency: row.maxConcurrency,
    max_rpm: row.maxRpm,
    credit_cap_period_micros: row.creditCapPeriodMicros,
    max_tokens_per_call: row.maxTokensPerCall,
    max_run_tokens: row.maxRunTokens,
    max_iterations: row.maxIterations,
    max_active_agents: row.maxActiveAgents,
    min_fee_micros: row.minFeeMicros,
    activation_price_micros: row.activationPriceMicros,
    included_credits_micros: row.includedCreditsMicros,
    extra_credit_price_micros: row.extraCreditPriceMicros,
    spec: row.spec,
    created_at: row.createdAt.toISOString(),
  };
}

export function planRow(input: PlanInput, createdAt: Date): PlanRow {
  return {
    id: input.id,
    name: input.name,
    argoCode: input.argo_code ?? null,
    maxConcurrency: input.max_concurrency,
    maxRpm: input.max_rpm,
    creditCapPeriodMicros: input.credit_cap_period_micros,
    maxTokensPerCall: input.max_tokens_per_call,
    maxRunTokens: input.max_run_tokens,
    maxIterations: input.max_iterations,
    maxActiveAgents: input.max_active_agents,
    minFeeMicros: input.min_fee_micros,
    activationPriceMicros: input.activation_price_micros,
    includedCreditsMicros: input.included_credits_micros,
    extraCreditPriceMicros: input.extra_credit_price_micros,
    spec: input.spec,
    createdAt,
  };
}
