import { usualSource } from "../../../contracts/daemon/runs/run-sources.ts";
import type { AdminInvocation } from "../../../contracts/platform/admin.ts";
import type { InvocationDetail, InvocationSummary } from "../../../contracts/platform/observability.ts";
import type { InvocationRow } from "../runs/schema.ts";

/** Converts a run for its tenant. */
export function presentInvocation(row: InvocationRow): InvocationSummary {
  return {
    invocation_id: row.id,
    source: row.source ?? usualSource,
    status: row.status,
    session_id: row.sessionId,
    error_code: row.errorCode,
    message: row.message,
    agent_version: row.agentVersion,
    started_at: row.admittedAt.toISOString(),
    ended_at: row.endedAt?.toISOString() ?? null,
    duration_ms: row.endedAt && Math.max(0, row.endedAt.getTime() - row.admittedAt.getTime()),
    tokens_in: row.tokensIn,
    tokens_out: row.tokensOut,
    credits_charged_micros: row.chargedMicros,
    pricing_status: row.pricingStatus,
    count: row.count,
  };
}

/** Like `presentInvocation`, with the usage by model. */
export function presentInvocationDetail(row: InvocationRow): InvocationDetail {
  const { agentId, agentName, subscriptionId, tokensIn, tokensOut, byModel, usageEstimated } = row;
  return {
    ...presentInvocation(row),
    agent_id: agentId,
    agent_name: agentName,
    subscription_id: subscriptionId,
    usage: { tokens_in: tokensIn, tokens_out: tokensOut, by_model: byModel },
    usage_estimated: usageEstimated,
  };
}

/** Converts a run for operators. */
export function presentForOperator(row: InvocationRow, tenantName: string): AdminInvocation {
  return {
    ...presentInvocation(row),
    tenant_id: row.tenantId,
    tenant_name: tenantName,
    agent_id: row.agentId,
    agent_name: row.agentName,
    subscription_id: row.subscriptionId,
    plan_id: row.planId,
    period: row.month,
    held_micros: row.heldMicros,
    held_tokens: row.heldTokens,
    usage_estimated: row.usageEstimated,
    provider_cost_micros: row.costUnknown ? null : row.providerCostMicros,
    infra_cost_micros: row.infraCostMicros,
    overrun_micros: row.overrunMicros,
    margin_micros: null,
  };
}
