import { and, eq, sql } from "drizzle-orm";
import type { InvoiceSummary } from "../../../contracts/platform/billing/invoices.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import { dayMs, dayOf } from "../../../kit/utc-calendar.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { readStatement } from "../billing/read-statement.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { invoiceAmounts } from "./invoice-amounts.ts";
import { readInvoiceCustomer, readInvoiceSettings } from "./invoice-settings.ts";
import { presentSummaries } from "./list-invoices.ts";
import type { InvoiceRow } from "./schema.ts";

/**
 * Issues the invoice of a tenant's month and marks its periods as invoiced, in one transaction with the number. Throws 409: `period_open`,
 * `invoice_exists`, `nothing_to_invoice` or `seller_missing`.
 */
export function issueInvoice(
  deps: StoreDeps,
  { actor }: Operator,
  { tenantId, month, requestId }: { tenantId: string; month: string; requestId: string },
): Promise<InvoiceSummary> {
  const { storage, clock, newId } = deps;
  const { tables } = storage;
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      const { seller, invoice_range, due_days } = await readInvoiceSettings(tx, tables);
      if (seller.name === "") throw sellerMissing();
      const { customer, taxes, note, ...own } = await readInvoiceCustomer(tx, tables, tenantId);
      const statement = await readStatement(tx, tables, { tenantId, month }, now);
      if (statement.provisional) {
        throw new AppError("conflict", "period_open", `The period ${month} is not closed yet.`);
      }
      const { charges: lines } = statement;
      if (lines.length === 0) {
        throw new AppError("conflict", "nothing_to_invoice", `The period ${month} has no charges.`);
      }
      const amounts = invoiceAmounts(
        lines.map(({ amount_micros }) => amount_micros),
        taxes,
      );
      const row = {
        tenantId,
        id: newId(),
        kind: "invoice" as const,
        month,
        issuedOn: dayOf(now),
        dueOn: dayOf(new Date(now.getTime() + (own.due_days ?? due_days) * dayMs)),
        ...amounts,
        invoiceId: null,
        content: { seller, customer, note, reason: null, lines, taxes: amounts.taxes },
        createdBy: actor,
        createdAt: now,
      };
      const stored = await store(tx, tables, row, { range: invoice_range, status: "open" });
      if (stored === undefined) throw invoiceExists(month);
      await markInvoiced(tx, tables, { tenantId, month }, now);
      const { number, total_micros } = stored;
      await writeAudit(deps, tx, now, {
        actor,
        action: "invoice.issue",
        ownerId: tenantId,
        subject: row.id,
        detail: { number, period: month, total_micros },
        requestId,
      });
      return stored;
    },
    { isolation: "read committed" },
  );
}

/** A document before it has a number. */
export type NewInvoiceDocument = Omit<InvoiceRow, "range" | "number">;

/**
 * Stores a document with the next number of its range. Undefined if the tenant's month has an invoice. The range stays locked until the
 * transaction ends, so its numbers have no gaps, also if the transaction fails.
 */
export async function store(
  tx: Query,
  tables: PlatformTables,
  document: NewInvoiceDocument,
  { range, status }: { range: string; status: "open" | "paid" },
): Promise<InvoiceSummary | undefined> {
  const { invoices, invoiceStates, invoiceRanges } = tables;
  const { tenantId, id, kind, month, createdAt } = document;
  // Before the range, so that two runs of one month wait for each other here and use up no number.
  const [state] = await tx
    .insert(invoiceStates)
    .values({ tenantId, id, kind, month, status, paidOn: null, changedAt: createdAt })
    .onConflictDoNothing()
    .returning();
  if (state === undefined) return undefined;
  const named = range.replaceAll("{year}", document.issuedOn.slice(0, 4));
  const [last] = await tx
    .insert(invoiceRanges)
    .values({ range: named, lastNumber: 1 })
    .onConflictDoUpdate({
      target: invoiceRanges.range,
      set: { lastNumber: sql`${invoiceRanges.lastNumber} + 1` },
    })
    .returning();
  if (last === undefined) throw new Error("The range answered nothing.");
  const row = { ...document, range: named, number: last.lastNumber };
  await tx.insert(invoices).values(row);
  const [summary] = await presentSummaries(tx, tables, [{ invoice: row, state }], dayOf(createdAt));
  if (summary === undefined) throw new Error("The invoice vanished.");
  return summary;
}

async function markInvoiced(
  tx: Query,
  { billingPeriods }: PlatformTables,
  { tenantId, month }: { tenantId: string; month: string },
  now: Date,
): Promise<void> {
  await tx
    .update(billingPeriods)
    .set({ status: "facturado", facturadoAt: now })
    .where(
      and(
        eq(billingPeriods.tenantId, tenantId),
        eq(billingPeriods.month, month),
        eq(billingPeriods.status, "closed"),
      ),
    );
}

const sellerMissing = () =>
  new AppError("conflict", "seller_missing", "The seller's data is missing.", {
    details: { hint: "Set it with PUT /api/v1/admin/invoice-settings." },
  });

const invoiceExists = (month: string) =>
  new AppError("conflict", "invoice_exists", `The tenant has an invoice of ${month}.`, {
    details: { hint: "Void it first, or issue a credit note." },
  });
