import { and, desc, eq, inArray, isNull, type SQL } from "drizzle-orm";
import {
  type AgentConsumption,
  rankedAgentsMax,
  type UsageReport,
} from "../../../contracts/platform/observability.ts";
import { storageUse } from "../../../control-plane/room/storage-use.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { firstOf, Ranking } from "../../../kit/ranking.ts";
import { endOfMonth, lastInstantOf } from "../../../kit/utc-calendar.ts";
import type { TenantActor } from "../auth/credentials.ts";
import { readCounters, tenantScope } from "../counters/credit-counters.ts";
import { leftInMonth } from "../grants/grant-account.ts";
import { basePlan } from "../plans/plan-in-force.ts";
import { storageLimit } from "../room/tenant-room.ts";
import { cancelBound } from "../runs/admission/cancel-limit.ts";
import { waitingCostOf } from "../runs/admission/waiting-cost.ts";
import type { StoreDeps } from "../tables.ts";
import { ConsumptionSum, sumOf } from "./consumption.ts";
import { invocationSums } from "./sum-invocations.ts";
import { modelSums } from "./sum-models.ts";

/** Returns a tenant's usage in a month and in total, with the agents that used most credits. */
export async function readUsage(
  { storage, clock }: StoreDeps,
  { tenantId }: TenantActor,
  period: string,
): Promise<UsageReport> {
  const { read, tables } = storage;
  const scope = { tenantIds: [tenantId] };
  const [month, allTime] = [new ConsumptionSum(), new ConsumptionSum()];
  let holdMaxMicros = 0;
  const monthOfAgent = new Map<string, ConsumptionSum>();
  const allOfAgent = new Map<string, ConsumptionSum>();
  for (const sum of await invocationSums(read, tables, scope)) {
    allTime.add(sum);
    sumOf(allOfAgent, sum.agentId).add(sum);
    if (sum.month !== period) continue;
    holdMaxMicros = Math.max(holdMaxMicros, sum.holdMaxMicros);
    month.add(sum);
    sumOf(monthOfAgent, sum.agentId).add(sum);
  }
  for (const sum of await modelSums(read, tables, scope)) {
    allTime.addModel(sum);
    if (sum.month === period) month.addModel(sum);
  }
  const ranked = await rankAgents(storage, tenantId, { month: monthOfAgent, allTime: allOfAgent });
  const counter = (await readCounters(read, tables, tenantId, period)).get(tenantScope);
  const plan = await basePlan(read, tables, tenantId, lastInstantOf(period, clock.now()));
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
      granted_micros: counter?.grantedMicros ?? 0,
      grants_left_micros: await leftInMonth(read, tables, tenantId, { period, now: clock.now() }),
      uncharged: {
        percent: bound === undefined || bound === 0 ? null : Math.floor((uncharged * 100) / bound),
        resets_at: endOfMonth(period).toISOString(),
      },
    },
    storage: await storageUse(storage, tenantId, await storageLimit({ storage, clock }, tenantId)),
    agents: ranked,
  };
}

type SumOfAgent = Map<string, ConsumptionSum>;

/** Ranks the agents with runs, the active ones and the newest. A tenant can create and delete agents without end. */
async function rankAgents(
  { read, tables: { agents } }: StoreDeps["storage"],
  tenantId: string,
  sums: { month: SumOfAgent; allTime: SumOfAgent },
): Promise<AgentConsumption[]> {
  const sumsOf = (id: string) => ({
    agent_id: id,
    month: (sums.month.get(id) ?? none).sums,
    all_time: (sums.allTime.get(id) ?? none).sums,
  });
  const withRuns = new Ranking(rankedAgentsMax, byCredits);
  let seen = 0;
  for (const id of sums.allTime.keys()) {
    withRuns.add(sumsOf(id));
    if (++seen % rowsPerTurn === 0) await othersTurn();
  }
  const rankedIds = withRuns.items.map(({ agent_id }) => agent_id);
  const agentsWhere = (condition?: SQL) =>
    read
      .select({ id: agents.id, name: agents.name, deletedAt: agents.deletedAt })
      .from(agents)
      .where(and(eq(agents.tenantId, tenantId), condition))
      .limit(rankedAgentsMax);
  const rows = [
    ...(await agentsWhere(inArray(agents.id, rankedIds))),
    ...(await agentsWhere(isNull(agents.deletedAt))),
    ...(await agentsWhere().orderBy(desc(agents.id))),
  ];
  const known = new Map(rows.map((row) => [row.id, row]));
  const all = [...known.values()].map(
    ({ id, name, deletedAt }): AgentConsumption => ({
      ...sumsOf(id),
      name,
      status: deletedAt === null ? "active" : "deleted",
    }),
  );
  return firstOf(all, rankedAgentsMax, byCredits);
}

const none = new ConsumptionSum();

/** Agents whose sums are compared before others have their turn. */
const rowsPerTurn = 2000;

type Ranked = Omit<AgentConsumption, "name" | "status">;

function byCredits(a: Ranked, b: Ranked): number {
  return (
    b.month.credits_charged_micros - a.month.credits_charged_micros ||
    b.all_time.credits_charged_micros - a.all_time.credits_charged_micros ||
    (a.agent_id < b.agent_id ? 1 : -1)
  );
}
