import { and, desc, eq, gt, inArray, lt, sql } from "drizzle-orm";
import { csvText } from "../../../contracts/csv-text.ts";
import type {
  Invoice,
  InvoiceList,
  InvoiceStatus,
  InvoiceSummary,
} from "../../../contracts/platform/billing/invoices.ts";
import { currency } from "../../../contracts/platform/billing/printed-amounts.ts";
import { type PageRequest, pageOf, readIdCursor } from "../../../http/paging.ts";
import { AppError } from "../../../kit/app-error.ts";
import { batches } from "../../../kit/batches.ts";
import { dayOf } from "../../../kit/utc-calendar.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import { exactSum } from "../billing/period-charges.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { tenantNames } from "../tenants/tenant-names.ts";
import type { InvoiceRow, InvoiceStateRow } from "./schema.ts";

export interface InvoiceFilter {
  tenant_id?: string;
  period?: string;
  status?: InvoiceStatus;
  overdue?: "true" | "false";
}

interface Stored {
  invoice: InvoiceRow;
  state: InvoiceStateRow;
}

/** Maximum number of ids in one statement, below the parameter limits of both databases. */
const idsAtOnce = 1000;

/** Lists invoices and credit notes, newest first. */
export async function listInvoices(
  { storage: { read, tables }, clock }: StoreDeps,
  filter: InvoiceFilter,
  { limit, cursor }: PageRequest,
): Promise<InvoiceList> {
  const { invoices, invoiceStates } = tables;
  const before = readIdCursor(cursor);
  const today = dayOf(clock.now());
  const { tenant_id, period, status, overdue } = filter;
  const isOverdue = and(
    eq(invoices.kind, "invoice"),
    eq(invoiceStates.status, "open"),
    lt(invoices.dueOn, today),
    gt(sql`${invoices.totalMicros} + ${creditedOf(tables)}`, 0),
  );
  const rows = await read
    .select({ invoice: invoices, state: invoiceStates })
    .from(invoices)
    .innerJoin(invoiceStates, ofSame(tables))
    .where(
      and(
        tenant_id === undefined ? undefined : eq(invoices.tenantId, tenant_id),
        period === undefined ? undefined : eq(invoices.month, period),
        status === undefined ? undefined : eq(invoiceStates.status, status),
        overdue === "true" ? isOverdue : undefined,
        before === undefined ? undefined : lt(invoices.id, before),
      ),
    )
    .orderBy(desc(invoices.id))
    .limit(limit + 1);
  const { page, next } = pageOf(rows, limit, ({ invoice }) => invoice.id);
  const summaries = await presentSummaries(read, tables, page, today);
  return { invoices: summaries, totals: totalsOf(summaries), ...next };
}

const ofSame = ({ invoices, invoiceStates }: PlatformTables) =>
  and(eq(invoiceStates.tenantId, invoices.tenantId), eq(invoiceStates.id, invoices.id));

/** Sum of the credit notes of a row's invoice. */
const creditedOf = ({ invoices }: PlatformTables) =>
  sql`coalesce((select sum(note.total_micros) from ${invoices} as note where note.tenant_id = ${invoices.tenantId} and note.invoice_id = ${invoices.id}), 0)`;

const totalsOf = (rows: readonly InvoiceSummary[]): InvoiceList["totals"] => ({
  count: rows.length,
  net_micros: exactSum(rows.map(({ net_micros }) => net_micros)),
  tax_micros: exactSum(rows.map(({ tax_micros }) => tax_micros)),
  total_micros: exactSum(rows.map(({ total_micros }) => total_micros)),
  balance_micros: exactSum(rows.map(({ balance_micros }) => balance_micros)),
});

/** Converts invoices, with their tenants' names and what was credited. */
export async function presentSummaries(
  query: ReadQuery,
  tables: PlatformTables,
  rows: readonly Stored[],
  today: string,
): Promise<InvoiceSummary[]> {
  const { invoices } = tables;
  const names = await tenantNames(
    query,
    tables,
    rows.map(({ invoice }) => invoice.tenantId),
  );
  const credited = new Map<string | null, number>();
  const numbers = new Map<string, string>();
  for (const some of batches(rows, idsAtOnce)) {
    const tenantIds = [...new Set(some.map(({ invoice }) => invoice.tenantId))];
    const notes = await query
      .select({ id: invoices.invoiceId, sum: sql`sum(${invoices.totalMicros})`.mapWith(Number) })
      .from(invoices)
      .where(
        and(
          inArray(invoices.tenantId, tenantIds),
          inArray(
            invoices.invoiceId,
            some.map(({ invoice }) => invoice.id),
          ),
        ),
      )
      .groupBy(invoices.invoiceId);
    for (const { id, sum } of notes) credited.set(id, sum);
    const creditedIds = some.flatMap(({ invoice }) => invoice.invoiceId ?? []);
    const named = await query
      .select({ id: invoices.id, range: invoices.range, number: invoices.number })
      .from(invoices)
      .where(and(inArray(invoices.tenantId, tenantIds), inArray(invoices.id, creditedIds)));
    for (const row of named) numbers.set(row.id, numberText(row));
  }
  return rows.map(({ invoice, state }) => {
    const creditedMicros = credited.get(invoice.id) ?? 0;
    const isOpen = invoice.kind === "invoice" && state.status === "open";
    const balance = isOpen ? invoice.totalMicros + creditedMicros : 0;
    return {
      id: invoice.id,
      number: numberText(invoice),
      kind: invoice.kind,
      tenant_id: invoice.tenantId,
      tenant_name: names.get(invoice.tenantId) ?? invoice.tenantId,
      period: invoice.month,
      currency,
      status: state.status,
      overdue: balance > 0 && invoice.dueOn < today,
      issued_on: invoice.issuedOn,
      due_on: invoice.dueOn,
      paid_on: state.paidOn,
      subtotal_micros: invoice.subtotalMicros,
      rounding_micros: invoice.netMicros - invoice.subtotalMicros,
      net_micros: invoice.netMicros,
      tax_micros: invoice.taxMicros,
      total_micros: invoice.totalMicros,
      credited_micros: creditedMicros,
      balance_micros: balance,
      credits_invoice: invoice.invoiceId === null ? null : (numbers.get(invoice.invoiceId) ?? null),
    };
  });
}

const numberText = ({ range, number }: Pick<InvoiceRow, "range" | "number">) =>
  `${range}${String(number).padStart(4, "0")}`;

/** Returns an invoice in full; of any tenant if `tenantId` is undefined. Throws 404. */
export async function getInvoice(
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, id }: { tenantId: string | undefined; id: string },
  now: Date,
): Promise<Invoice> {
  const { invoice, state } = await getStored(query, tables, { tenantId, id });
  const [summary] = await presentSummaries(query, tables, [{ invoice, state }], dayOf(now));
  if (summary === undefined) throw noInvoice();
  return { ...summary, ...invoice.content };
}

export async function getStored(
  query: ReadQuery,
  tables: PlatformTables,
  { tenantId, id }: { tenantId: string | undefined; id: string },
): Promise<Stored> {
  const { invoices, invoiceStates } = tables;
  const [row] = await query
    .select({ invoice: invoices, state: invoiceStates })
    .from(invoices)
    .innerJoin(invoiceStates, ofSame(tables))
    .where(and(eq(invoices.id, id), tenantId === undefined ? undefined : eq(invoices.tenantId, tenantId)));
  if (row === undefined) throw noInvoice();
  return row;
}

export const noInvoice = () => new AppError("not_found", "not_found", "There is no such invoice.");

const columns = [
  "number",
  "kind",
  "period",
  "tenant_id",
  "tenant_name",
  "currency",
  "status",
  "issued_on",
  "due_on",
  "paid_on",
  "credits_invoice",
] as const satisfies readonly (keyof InvoiceSummary)[];

const amounts = ["subtotal", "rounding", "net", "tax", "total", "credited", "balance"] as const;

/** Writes invoices as CSV, a line for each, with every amount in US dollars: net = subtotal + rounding, total = net + tax. */
export const invoicesCsv = (invoices: readonly InvoiceSummary[]): string =>
  csvText(
    [...columns, "overdue", ...amounts],
    invoices.map((invoice) => [
      ...columns.map((column) => invoice[column]),
      invoice.overdue ? "yes" : "no",
      // Exact: a double prints up to 15 digits as they are.
      ...amounts.map((name) => invoice[`${name}_micros`] / 1_000_000),
    ]),
  );
