import { and, asc, eq } from "drizzle-orm";
import type { PlanCredits, Statement, StatementCharge } from "../../../contracts/platform/billing/billing.ts";
import { currency } from "../../../contracts/platform/billing/printed-amounts.ts";
import { AppError } from "../../../kit/app-error.ts";
import { endOfMonth } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { grantsOfMonth } from "../grants/month-grants.ts";
import { baseScope, type PeriodKey, type PeriodRow } from "../subscriptions/period-lock.ts";
import type { PlatformTables } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";
import { exactSum, type PeriodBill, type PeriodCredits, periodCharges } from "./period-charges.ts";
import { periodFacts } from "./period-facts.ts";
import { openPeriods } from "./scope-months.ts";

/** Part of a statement for one period. */
interface StatementPart {
  subscriptionId: string | null;
  charges: StatementCharge[];
  credits: PeriodCredits;
  isClosed: boolean;
}

/**
 * Returns a tenant's statement for a month: the charges of its closed periods, and for open ones the charges with active days until today.
 * Throws 404 for an unknown tenant.
 */
export async function readStatement(
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
  now: Date,
): Promise<Statement> {
  await requireTenant(query, tables, tenantId);
  const periods = await periodsOf(query, tables, tenantId, month);
  const parts: StatementPart[] = [];
  for (const scope of await scopesOf(query, tables, { tenantId, month }, periods)) {
    parts.push(await partOf(query, tables, { tenantId, scope, month }, { period: periods.get(scope), now }));
  }
  const charges = parts.flatMap((part) => part.charges);
  return {
    tenant_id: tenantId,
    tenant_name: (await tenantNames(query, tables, [tenantId])).get(tenantId) ?? tenantId,
    period: month,
    currency,
    provisional: parts.some(({ isClosed }) => !isClosed),
    charges,
    credits: {
      used_micros: exactSum(parts.map(({ credits }) => credits.usedMicros)),
      included_micros: exactSum(parts.map(({ credits }) => credits.includedMicros)),
      granted_micros: exactSum(parts.map(({ credits }) => credits.grantedMicros)),
      extra_micros: exactSum(parts.map(({ credits }) => credits.extraMicros)),
      by_plan: parts.flatMap(creditsByPlan),
      grants: await grantsOfMonth(query, tables, { tenantId, month }, now),
    },
    total_micros: exactSum(charges.map(({ amount_micros }) => amount_micros)),
  };
}

async function partOf(
  query: ReadQuery,
  tables: PlatformTables,
  key: PeriodKey,
  { period, now }: { period: PeriodRow | undefined; now: Date },
): Promise<StatementPart> {
  const end = new Date(endOfMonth(key.month).getTime() - 1);
  const closed = period !== undefined && period.status !== "open" ? period : undefined;
  const until = closed !== undefined || end.getTime() < now.getTime() ? end : now;
  const bill = periodCharges(await periodFacts(query, tables, key, until));
  const charges = closed === undefined ? presentBill(bill, key) : await writtenCharges(query, tables, closed);
  const subscriptionId = key.scope === baseScope ? null : key.scope;
  return { subscriptionId, charges, credits: bill.credits, isClosed: closed !== undefined };
}

const creditsByPlan = ({ subscriptionId, credits }: StatementPart): PlanCredits[] =>
  credits.byPlan.map(({ plan, usedMicros, grantedMicros, extraMicros }) => ({
    plan_id: plan.id,
    plan_name: plan.name,
    subscription_id: subscriptionId,
    used_micros: usedMicros,
    included_micros: plan.includedCreditsMicros,
    granted_micros: grantedMicros,
    extra_micros: extraMicros,
  }));

/** Scope of the base plan, then those of the subscriptions with a period in the month, oldest first. */
async function scopesOf(
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
  periods: ReadonlyMap<string, PeriodRow>,
): Promise<string[]> {
  const closed = [...periods.values()].filter(({ status }) => status !== "open");
  const range = { first: month, last: month, tenantIds: [tenantId] };
  const open = await openPeriods(query, tables, range, { current: month, closed });
  const scopes = [...closed, ...open].map(({ scope }) => scope);
  const subscriptions = scopes.filter((scope) => scope !== baseScope).sort();
  return scopes.includes(baseScope) ? [baseScope, ...subscriptions] : subscriptions;
}

async function requireTenant(query: ReadQuery, { tenants }: PlatformTables, tenantId: string): Promise<void> {
  const [tenant] = await query.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
}

async function periodsOf(
  query: ReadQuery,
  { billingPeriods }: PlatformTables,
  tenantId: string,
  month: string,
): Promise<Map<string, PeriodRow>> {
  const rows = await query
    .select()
    .from(billingPeriods)
    .where(and(eq(billingPeriods.tenantId, tenantId), eq(billingPeriods.month, month)));
  return new Map(rows.map((row) => [row.scope, row]));
}

async function writtenCharges(
  query: ReadQuery,
  { charges }: PlatformTables,
  { tenantId, id }: PeriodRow,
): Promise<StatementCharge[]> {
  const rows = await query
    .select()
    .from(charges)
    .where(and(eq(charges.tenantId, tenantId), eq(charges.periodId, id)))
    .orderBy(asc(charges.line));
  return rows.map((row) => presentCharge(row, row.subscriptionId));
}

const presentBill = ({ charges }: PeriodBill, { scope }: PeriodKey): StatementCharge[] =>
  charges.map((line) => presentCharge(line, scope === baseScope ? null : scope));

function presentCharge(
  line: Omit<PeriodBill["charges"][number], "line">,
  subscriptionId: string | null,
): StatementCharge {
  return {
    type: line.type,
    description: line.description,
    quantity: line.quantity,
    unit_price_micros: line.unitPriceMicros,
    amount_micros: line.amountMicros,
    subscription_id: subscriptionId,
  };
}
