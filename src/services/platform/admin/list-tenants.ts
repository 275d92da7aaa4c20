import { and, count, desc, eq, inArray, isNull, lt } from "drizzle-orm";
import type { AdminTenantList, TenantCredits } from "../../../contracts/platform/admin.ts";
import { creditLimit } from "../../../contracts/platform/billing/credit-limit.ts";
import { type PageRequest, pageOf, readIdCursor } from "../../../http/paging.ts";
import { batches } from "../../../kit/batches.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { lastInstantOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { firstOwner } from "../auth/tenant-role.ts";
import { readRevenue } from "../billing/read-revenue.ts";
import { type CreditCounter, readCounters, tenantScope } from "../counters/credit-counters.ts";
import { leftInMonth } from "../grants/grant-account.ts";
import { basePlan } from "../plans/plan-in-force.ts";
import type { PlanRow } from "../plans/schema.ts";
import { cancelBound } from "../runs/admission/cancel-limit.ts";
import { waitingCostOf } from "../runs/admission/waiting-cost.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { ConsumptionSum, sumOf } from "../usage/consumption.ts";
import { invocationSums } from "../usage/sum-invocations.ts";

export type TenantRow = PlatformTables["tenants"]["$inferSelect"];

/** Tenants whose agents and revenue are read in one statement each. */
const presentedTogether = 500;

/** PostgreSQL answers several readers at once, and leaves a connection to others. */
const tenantsAtOnce = 3;

/** Lists all tenants with their usage in a month, newest first, including deleted tenants. */
export async function listTenants(
  { storage: { read, tables }, clock }: StoreDeps,
  period: string,
  { limit, cursor }: PageRequest,
): Promise<AdminTenantList> {
  const { tenants, users } = tables;
  const before = readIdCursor(cursor);
  const rows = await read
    .select({ tenant: tenants, owner: { id: users.id, email: users.email } })
    .from(tenants)
    .innerJoin(users, eq(users.id, firstOwner(tables)))
    .where(before === undefined ? undefined : lt(tenants.id, before))
    .orderBy(desc(tenants.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ tenant }) => tenant.id);
  const presented: AdminTenantList["tenants"] = [];
  for (const some of batches(page, presentedTogether)) await present(some);
  return { period, tenants: presented, ...next };

  async function present(some: typeof page): Promise<void> {
    const ids = some.map(({ tenant }) => tenant.id);
    const agents = await activeAgents(read, tables, ids);
    const sums = new Map<string, ConsumptionSum>();
    for (const sum of await invocationSums(read, tables, { tenantIds: ids, month: period }))
      sumOf(sums, sum.tenantId).add(sum);
    const of = { first: period, last: period, tenantIds: ids };
    const revenue = await readRevenue(read, tables, of, clock.now());
    for (const few of batches(some, tenantsAtOnce)) {
      await othersTurn();
      const shown = few.map(async ({ tenant, owner }) => {
        const plan = await basePlan(read, tables, tenant.id, lastInstantOf(period, clock.now()));
        const counters = await readCounters(read, tables, tenant.id, period);
        return {
          ...presentTenant(tenant, owner),
          plan_id: plan.id,
          credits: creditsOf(counters.get(tenantScope), plan, {
            waitingCostMicros: await waitingCostOf(read, tables, { tenantId: tenant.id, month: period }),
            grantsLeftMicros: await leftInMonth(read, tables, tenant.id, { period, now: clock.now() }),
          }),
          active_agents: agents.get(tenant.id) ?? 0,
          month: (sums.get(tenant.id) ?? new ConsumptionSum()).costedSums(revenue.get(tenant.id) ?? 0),
        };
      });
      presented.push(...(await Promise.all(shown)));
    }
  }
}

export function presentTenant(tenant: TenantRow, owner: { id: string; email: string }) {
  return {
    id: tenant.id,
    cr_name: tenant.crName,
    display_name: tenant.displayName,
    status: tenant.deletedAt === null ? ("active" as const) : ("deleted" as const),
    owner,
    created_at: tenant.createdAt.toISOString(),
    deleted_at: tenant.deletedAt?.toISOString() ?? null,
  };
}

/** Credits of a month under a plan's cap. */
export function creditsOf(
  counter: CreditCounter | undefined,
  { creditCapPeriodMicros: cap }: PlanRow,
  { waitingCostMicros, grantsLeftMicros }: { waitingCostMicros: number; grantsLeftMicros: number },
): TenantCredits {
  const grants = { granted_micros: counter?.grantedMicros ?? 0, grants_left_micros: grantsLeftMicros };
  const limit = creditLimit({ cap_micros: cap, ...grants });
  const charged = counter?.chargedMicros ?? 0;
  return {
    charged_micros: charged,
    held_micros: counter?.heldMicros ?? 0,
    cap_micros: cap,
    ...grants,
    uncharged_cost_micros: (counter?.cancelledCostMicros ?? 0) + waitingCostMicros,
    uncharged_limit_micros: cancelBound(cap, 0) ?? null,
    percent: limit === null || limit === 0 ? null : Number((BigInt(charged) * 100n) / BigInt(limit)),
  };
}

/** Number of live agents of each of these tenants. */
export async function activeAgents(
  query: ReadQuery,
  { agents }: PlatformTables,
  tenantIds: readonly string[],
): Promise<Map<string, number>> {
  if (tenantIds.length === 0) return new Map();
  const rows = await query
    .select({ tenantId: agents.tenantId, live: count() })
    .from(agents)
    .where(and(inArray(agents.tenantId, [...tenantIds]), isNull(agents.deletedAt)))
    .groupBy(agents.tenantId);
  return new Map(rows.map(({ tenantId, live }) => [tenantId, live]));
}
