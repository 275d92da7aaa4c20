import { and, asc, eq } from "drizzle-orm";
import type { Statement, StatementCharge } from "../../../contracts/platform/billing.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { PlatformTables } from "../tables.ts";
import { type PeriodBill, periodCharges } from "./period-charges.ts";
import { periodFacts } from "./period-facts.ts";
import { baseScope, type PeriodKey, type PeriodRow } from "./period-lock.ts";
import { dayOf, endOfMonth, monthOf, startOfMonth } from "./utc-calendar.ts";

/**
 * What a tenant owes for a month: the charges of its closed periods, and of those that are open what they would be with active days
 * through today. Throws 404 for an unknown tenant.
 */
export async function readStatement(
  query: ReadQuery,
  tables: PlatformTables,
  tenantId: string,
  month: string,
  now: Date,
): Promise<Statement> {
  const scopes = await scopesOf(query, tables, tenantId, month);
  const rows = await periodsOf(query, tables, tenantId, month);
  const statement: Statement = {
    tenant_id: tenantId,
    period: month,
    provisional: false,
    charges: [],
    credits: { used_micros: 0, included_micros: 0, extra_micros: 0 },
    total_micros: 0,
  };
  for (const scope of scopes) {
    const period = rows.get(scope);
    const key = { tenantId, scope, month };
    const isClosed = period !== undefined && period.status !== "open";
    const until = isClosed ? endOfPeriod(month) : earliest(endOfPeriod(month), now);
    const bill = periodCharges(await periodFacts(query, tables, key, until));
    const charges = isClosed ? await writtenCharges(query, tables, period) : presentBill(bill, key);
    addTo(statement, charges, bill);
    if (!isClosed) statement.provisional = true;
  }
  return statement;
}

function addTo(statement: Statement, charges: readonly StatementCharge[], { credits }: PeriodBill): void {
  statement.charges.push(...charges);
  statement.credits.used_micros += credits.usedMicros;
  statement.credits.included_micros += credits.includedMicros;
  statement.credits.extra_micros += credits.extraMicros;
  for (const { amount_micros } of charges) statement.total_micros += amount_micros;
}

/** The base plan's scope, then those of the subscriptions that were active on a day of the month, oldest first. */
async function scopesOf(
  query: ReadQuery,
  { tenants, subscriptions }: PlatformTables,
  tenantId: string,
  month: string,
): Promise<string[]> {
  const [tenant] = await query.select({ id: tenants.id }).from(tenants).where(eq(tenants.id, tenantId));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  const rows = await query
    .select({ id: subscriptions.id, desde: subscriptions.desde, lastDay: subscriptions.lastDay })
    .from(subscriptions)
    .where(eq(subscriptions.tenantId, tenantId))
    .orderBy(asc(subscriptions.id));
  const first = dayOf(startOfMonth(month));
  const active = rows.filter(
    ({ desde, lastDay }) => monthOf(new Date(desde)) <= month && (lastDay === null || lastDay >= first),
  );
  return [baseScope, ...active.map(({ id }) => id)];
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
  return rows.map((row) => ({
    type: row.type,
    description: row.description,
    quantity: row.quantity,
    unit_price_micros: row.unitPriceMicros,
    amount_micros: row.amountMicros,
    subscription_id: row.subscriptionId,
  }));
}

function presentBill({ charges }: PeriodBill, { scope }: PeriodKey): StatementCharge[] {
  return charges.map((line) => ({
    type: line.type,
    description: line.description,
    quantity: line.quantity,
    unit_price_micros: line.unitPriceMicros,
    amount_micros: line.amountMicros,
    subscription_id: scope === baseScope ? null : scope,
  }));
}

const endOfPeriod = (month: string) => new Date(endOfMonth(month).getTime() - 1);
const earliest = (a: Date, b: Date) => (a.getTime() < b.getTime() ? a : b);
