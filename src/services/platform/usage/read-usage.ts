import { eq } from "drizzle-orm";
import type { AgentConsumption, UsageReport } from "../../../contracts/platform/observability.ts";
import { endOfMonth } from "../../../kit/utc-calendar.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { readCounters, tenantScope } from "../counters/credit-counters.ts";
import { basePlan } from "../plans/plan-in-force.ts";
import { cancelBound } from "../runs/admission/cancel-limit.ts";
import { waitingCostOf } from "../runs/admission/waiting-cost.ts";
import type { StoreDeps } from "../tables.ts";
import { ConsumptionSum, sumOf } from "./consumption.ts";
import { invocationSums } from "./sum-invocations.ts";
import { modelSums } from "./sum-models.ts";

/** Returns a tenant's usage in a month and in total, with its agents sorted by credits. */
export async function readUsage(
  { storage, clock }: StoreDeps,
  { tenantId }: TenantActor,
  period: string,
): Promise<UsageReport> {
  const { read, tables } = storage;
  const { invocations, agents } = tables;
  const scope = eq(invocations.tenantId, tenantId);
  const [month, allTime] = [new ConsumptionSum(), new ConsumptionSum()];
  let holdMaxMicros = 0;
  const monthOfAgent = new Map<string, ConsumptionSum>();
  const allOfAgent = new Map<string, ConsumptionSum>();
  for await (const sum of invocationSums(read, tables, scope)) {
    allTime.add(sum);
    sumOf(allOfAgent, sum.agentId).add(sum);
    if (sum.month !== period) continue;
    holdMaxMicros = Math.max(holdMaxMicros, sum.holdMaxMicros);
    month.add(sum);
    sumOf(monthOfAgent, sum.agentId).add(sum);
  }
  for await (const sum of modelSums(storage, scope)) {
    allTime.addModel(sum);
    if (sum.month === period) month.addModel(sum);
  }
  const rows = await read
    .select({ id: agents.id, name: agents.name, deletedAt: agents.deletedAt })
    .from(agents)
    .where(eq(agents.tenantId, tenantId));
  const ranked = rows.map(
    ({ id, name, deletedAt }): AgentConsumption => ({
      agent_id: id,
      name,
      status: deletedAt === null ? "active" : "deleted",
      month: sumOf(monthOfAgent, id).sums,
      all_time: sumOf(allOfAgent, id).sums,
    }),
  );
  const counter = (await readCounters(read, tables, tenantId, period)).get(tenantScope);
  const plan = await basePlan(read, tables, tenantId, clock.now());
  const cap = plan.creditCapPeriodMicros;
  const uncharged =
    (counter?.cancelledCostMicros ?? 0) + (await waitingCostOf(read, tables, { tenantId, month: period }));
  const bound = cancelBound(cap, holdMaxMicros);
  return {
    period,
    month: month.consumption,
    all_time: allTime.consumption,
    credits: {
      charged_micros: counter?.chargedMicros ?? 0,
      held_micros: counter?.heldMicros ?? 0,
      cap_micros: cap,
      uncharged: {
        percent: bound === undefined || bound === 0 ? null : Math.floor((uncharged * 100) / bound),
        resets_at: endOfMonth(period).toISOString(),
      },
    },
    agents: ranked.sort(byCredits),
  };
}

function byCredits(a: AgentConsumption, b: AgentConsumption): number {
  return (
    b.month.credits_charged_micros - a.month.credits_charged_micros ||
    b.all_time.credits_charged_micros - a.all_time.credits_charged_micros ||
    (a.agent_id < b.agent_id ? 1 : -1)
  );
}
