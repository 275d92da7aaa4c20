import { and, count, desc, eq, sql } from "drizzle-orm";
import type { AdminTenant } from "../../../contracts/platform/admin.ts";
import { storageUse } from "../../../control-plane/room/storage-use.ts";
import { AppError } from "../../../kit/app-error.ts";
import { lastInstantOf, monthOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { firstOwner } from "../auth/tenant-role.ts";
import { readRevenue } from "../billing/read-revenue.ts";
import { readCounters, tenantScope } from "../counters/credit-counters.ts";
import { leftInMonth } from "../grants/grant-account.ts";
import { findMembers } from "../members/list-members.ts";
import { basePlan } from "../plans/plan-in-force.ts";
import { presentPlan } from "../plans/present-plan.ts";
import { storageLimit } from "../room/tenant-room.ts";
import { waitingCostOf } from "../runs/admission/waiting-cost.ts";
import { presentSubscriptions } from "../subscriptions/present-subscription.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { ConsumptionSum } from "../usage/consumption.ts";
import { invocationSums } from "../usage/sum-invocations.ts";
import { modelSums } from "../usage/sum-models.ts";
import { activeAgents, creditsOf, presentTenant } from "./list-tenants.ts";

/** Returns a tenant with its plan, its caps, and its usage in a month and in total, even if the tenant is deleted. Throws 404. */
export async function readTenant(
  { storage, clock }: StoreDeps,
  tenantId: string,
  period: string,
): Promise<AdminTenant> {
  const { read, tables } = storage;
  const { tenants, users, subscriptions } = tables;
  const [row] = await read
    .select({ tenant: tenants, owner: { id: users.id, email: users.email } })
    .from(tenants)
    .innerJoin(users, eq(users.id, firstOwner(tables)))
    .where(eq(tenants.id, tenantId));
  if (row === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  const [month, allTime] = [new ConsumptionSum(), new ConsumptionSum()];
  const scope = { tenantIds: [tenantId] };
  for (const sum of await invocationSums(read, tables, scope)) {
    allTime.add(sum);
    if (sum.month === period) month.add(sum);
  }
  for (const sum of await modelSums(read, tables, scope)) {
    allTime.addModel(sum);
    if (sum.month === period) month.addModel(sum);
  }
  const subscribed = await read
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.tenantId, tenantId))
    .orderBy(desc(subscriptions.id));
  const now = clock.now();
  const presented = await presentSubscriptions(read, tables, subscribed, { now, month: period });
  const revenueOf = async (first: string, last: string) =>
    (await readRevenue(read, tables, { first, last, tenantIds: [tenantId] }, now)).get(tenantId) ?? 0;
  const plan = await basePlan(read, tables, tenantId, lastInstantOf(period, now));
  const counters = await readCounters(read, tables, tenantId, period);
  return {
    ...presentTenant(row.tenant, row.owner),
    members: await findMembers(read, tables, tenantId),
    plan: presentPlan(plan),
    credits: creditsOf(counters.get(tenantScope), plan, {
      waitingCostMicros: await waitingCostOf(read, tables, { tenantId, month: period }),
      grantsLeftMicros: await leftInMonth(read, tables, tenantId, { period, now }),
    }),
    active_agents: (await activeAgents(read, tables, [tenantId])).get(tenantId) ?? 0,
    running: await runningOf(read, tables, tenantId),
    period,
    month: month.costedConsumption(await revenueOf(period, period)),
    all_time: allTime.costedConsumption(await revenueOf("0000-01", monthOf(now))),
    subscriptions: presented,
    storage: await storageUse(storage, tenantId, await storageLimit({ storage, clock }, tenantId)),
  };
}

async function runningOf(query: ReadQuery, { invocations }: PlatformTables, tenantId: string) {
  const [row] = await query
    .select({ running: count() })
    .from(invocations)
    .where(and(eq(invocations.tenantId, tenantId), sql`${invocations.status} = 'in_progress'`));
  return row?.running ?? 0;
}
