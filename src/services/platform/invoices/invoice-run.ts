import { and, eq, ne, notExists, sql } from "drizzle-orm";
import type { InvoiceRun, InvoiceRunInput } from "../../../contracts/platform/billing/invoices.ts";
import { toAppError } from "../../../kit/app-error.ts";
import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import type { Operator } from "../auth/credentials.ts";
import type { StoreDeps } from "../tables.ts";
import { issueInvoice } from "./issue-invoice.ts";

/** Invoices that one call makes, so that it ends within a request. */
const togetherMax = 200;

/**
 * Issues the invoices of a month: those of some tenants, or of all that have closed periods with charges and no invoice. Each is a
 * transaction of its own, so a second run goes on where the first ended.
 */
export async function runInvoices(
  deps: StoreDeps,
  operator: Operator,
  { period, tenant_ids }: InvoiceRunInput,
  requestId: string,
): Promise<InvoiceRun> {
  const wanted = tenant_ids === undefined ? await tenantsDue(deps, period) : [...new Set(tenant_ids)];
  const now = wanted.slice(0, togetherMax);
  const run: InvoiceRun = { period, created: [], refused: [], left: wanted.length - now.length };
  for (const tenantId of now) {
    try {
      run.created.push(await issueInvoice(deps, operator, { tenantId, month: period, requestId }));
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status >= 500 || error.code === "seller_missing") throw thrown;
      run.refused.push({ id: tenantId, error: error.code, message: error.message });
    }
    await othersTurn();
  }
  return run;
}

/** Tenants with charges in closed periods of the month and without an invoice that is not void, in the order of their ids. */
async function tenantsDue({ storage: { read, tables } }: StoreDeps, month: string): Promise<string[]> {
  const { billingPeriods, charges, invoiceStates } = tables;
  const rows = await read
    .selectDistinct({ tenantId: billingPeriods.tenantId })
    .from(billingPeriods)
    .innerJoin(
      charges,
      and(eq(charges.tenantId, billingPeriods.tenantId), eq(charges.periodId, billingPeriods.id)),
    )
    .where(
      and(
        eq(billingPeriods.month, month),
        ne(billingPeriods.status, "open"),
        notExists(
          read
            .select({ one: sql`1` })
            .from(invoiceStates)
            .where(
              and(
                eq(invoiceStates.tenantId, billingPeriods.tenantId),
                eq(invoiceStates.month, month),
                eq(invoiceStates.kind, "invoice"),
                ne(invoiceStates.status, "void"),
              ),
            ),
        ),
      ),
    )
    .orderBy(billingPeriods.tenantId);
  return rows.map(({ tenantId }) => tenantId);
}
