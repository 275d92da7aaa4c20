import { and, eq, sql } from "drizzle-orm";
import type { InvoiceMarks, InvoiceSummary } from "../../../contracts/platform/billing/invoices.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { parseInstant } from "../../../kit/parse-instant.ts";
import { dayOf } from "../../../kit/utc-calendar.ts";
import type { Query } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import { exactSum } from "../billing/period-charges.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";
import { invoiceAmounts } from "./invoice-amounts.ts";
import { readInvoiceSettings } from "./invoice-settings.ts";
import { store } from "./issue-invoice.ts";
import { getStored, noInvoice, presentSummaries } from "./list-invoices.ts";
import type { InvoiceRow, InvoiceStateRow } from "./schema.ts";

interface Change {
  id: string;
  requestId: string;
}

/** Marks invoices as paid, each in its own transaction. Those that can't be are returned with the reason. */
export async function markPaid(
  deps: StoreDeps,
  operator: Operator,
  { ids, paidOn, requestId }: { ids: readonly string[]; paidOn: string | undefined; requestId: string },
): Promise<InvoiceMarks> {
  const today = dayOf(deps.clock.now());
  if (paidOn !== undefined && (parseInstant(paidOn) === undefined || paidOn > today)) {
    const message = "must be a calendar day that is not in the future";
    throw new AppError("invalid", "invalid_request", `The body is not valid: paid_on ${message}.`, {
      details: { problems: [{ path: "paid_on", message }] },
    });
  }
  const marks: InvoiceMarks = { paid: [], refused: [] };
  for (const id of new Set(ids)) {
    try {
      marks.paid.push(await payOne(deps, operator, { id, requestId }, paidOn ?? today));
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status >= 500) throw thrown;
      marks.refused.push({ id, error: error.code, message: error.message });
    }
  }
  return marks;
}

function payOne(
  deps: StoreDeps,
  { actor }: Operator,
  { id, requestId }: Change,
  paidOn: string,
): Promise<InvoiceSummary> {
  const { storage, clock } = deps;
  const { tables } = storage;
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      const { invoice } = await lockOpen(tx, tables, id);
      const state = await setState(tx, tables, invoice, { status: "paid", paidOn, changedAt: now });
      const [summary] = await presentSummaries(tx, tables, [{ invoice, state }], dayOf(now));
      if (summary === undefined) throw noInvoice();
      await writeAudit(deps, tx, now, {
        actor,
        action: "invoice.paid",
        ownerId: invoice.tenantId,
        subject: id,
        detail: { number: summary.number, paid_on: paidOn },
        requestId,
      });
      return summary;
    },
    { isolation: "read committed" },
  );
}

/** Voids an open invoice with a credit note of all that is not credited yet. Its month can be invoiced again. Returns the credit note. */
export function voidInvoice(
  deps: StoreDeps,
  operator: Operator,
  { reason, ...change }: Change & { reason: string },
): Promise<InvoiceSummary> {
  return credit(deps, operator, change, { reason, isVoid: true });
}

/** Issues a credit note for a part of an invoice, which may be paid. The notes of an invoice never exceed it. */
export function creditInvoice(
  deps: StoreDeps,
  operator: Operator,
  { reason, netMicros, ...change }: Change & { reason: string; netMicros: number },
): Promise<InvoiceSummary> {
  return credit(deps, operator, change, { reason, netMicros, isVoid: false });
}

interface Credit {
  reason: string;
  /** Undefined: the rest. */
  netMicros?: number;
  isVoid: boolean;
}

function credit(
  deps: StoreDeps,
  { actor }: Operator,
  { id, requestId }: Change,
  { reason, netMicros, isVoid }: Credit,
): Promise<InvoiceSummary> {
  const { storage, clock, newId } = deps;
  const { tables } = storage;
  return storage.transact(
    async (tx) => {
      const now = clock.now();
      const { invoice, state } = await lockInvoice(tx, tables, id);
      if (state.status === "void" || (isVoid && state.status !== "open")) throw notOpen(state);
      const credited = await creditedOf(tx, tables, invoice);
      const amounts = creditAmounts(invoice, credited, netMicros);
      const { tenantId, month, content } = invoice;
      const description = `Credit for invoice ${invoice.range}${String(invoice.number).padStart(4, "0")}`;
      const note = {
        tenantId,
        id: newId(),
        kind: "credit_note" as const,
        month,
        issuedOn: dayOf(now),
        dueOn: dayOf(now),
        ...amounts,
        invoiceId: id,
        content: {
          ...content,
          reason,
          taxes: amounts.taxes,
          lines: [
            {
              type: "ajuste" as const,
              description: `${description}: ${reason}`,
              quantity: 1,
              unit_price_micros: amounts.subtotalMicros,
              amount_micros: amounts.subtotalMicros,
              subscription_id: null,
            },
          ],
        },
        createdBy: actor,
        createdAt: now,
      };
      const { credit_note_range: range } = await readInvoiceSettings(tx, tables);
      if (isVoid) await setState(tx, tables, invoice, { status: "void", paidOn: null, changedAt: now });
      const stored = await store(tx, tables, note, { range, status: "open" });
      if (stored === undefined) throw new Error("A credit note has no month of its own.");
      await writeAudit(deps, tx, now, {
        actor,
        action: isVoid ? "invoice.void" : "invoice.credit",
        ownerId: tenantId,
        subject: id,
        detail: { number: stored.number, total_micros: stored.total_micros, reason },
        requestId,
      });
      return stored;
    },
    { isolation: "read committed" },
  );
}

type Amounts = ReturnType<typeof invoiceAmounts>;
type Credited = Pick<InvoiceRow, "subtotalMicros" | "netMicros" | "content">;

/** Amounts of a credit note. One for the rest of the net amount has the rest of each tax, so nothing remains by rounding. */
function creditAmounts(invoice: InvoiceRow, notes: readonly Credited[], netMicros?: number): Amounts {
  const rest = invoice.netMicros + exactSum(notes.map((note) => note.netMicros));
  const amount = netMicros ?? rest;
  if (rest === 0 || (netMicros !== undefined && netMicros > rest)) {
    throw new AppError(
      "conflict",
      "credit_exceeds_invoice",
      `The net amount must be at most ${rest} micros, which the invoice's credit notes leave.`,
    );
  }
  if (amount !== rest) return invoiceAmounts([-amount], invoice.content.taxes);
  const taxes = invoice.content.taxes.map((tax, index) => {
    const before = notes.map(({ content }) => content.taxes[index]?.amount_micros ?? 0);
    return { ...tax, base_micros: 0 - rest, amount_micros: 0 - exactSum([tax.amount_micros, ...before]) };
  });
  const taxMicros = exactSum(taxes.map(({ amount_micros }) => amount_micros));
  return {
    subtotalMicros: 0 - rest,
    netMicros: 0 - rest,
    taxes,
    taxMicros,
    totalMicros: exactSum([0 - rest, taxMicros]),
  };
}

function creditedOf(
  tx: Query,
  { invoices }: PlatformTables,
  { tenantId, id }: InvoiceRow,
): Promise<Credited[]> {
  return tx
    .select()
    .from(invoices)
    .where(and(eq(invoices.tenantId, tenantId), eq(invoices.invoiceId, id)));
}

/** Locks the state of an invoice, so that changes of it happen one after the other. Throws 404; 409 for a credit note. */
async function lockInvoice(
  tx: Query,
  tables: PlatformTables,
  id: string,
): Promise<{ invoice: InvoiceRow; state: InvoiceStateRow }> {
  const { invoiceStates } = tables;
  const { invoice } = await getStored(tx, tables, { tenantId: undefined, id });
  const [state] = await tx
    .update(invoiceStates)
    .set({ status: sql`${invoiceStates.status}` })
    .where(and(eq(invoiceStates.tenantId, invoice.tenantId), eq(invoiceStates.id, id)))
    .returning();
  if (state === undefined) throw noInvoice();
  if (invoice.kind === "credit_note") {
    throw new AppError("conflict", "is_credit_note", "A credit note can't be paid, voided or credited.");
  }
  return { invoice, state };
}

async function lockOpen(tx: Query, tables: PlatformTables, id: string) {
  const locked = await lockInvoice(tx, tables, id);
  if (locked.state.status !== "open") throw notOpen(locked.state);
  return locked;
}

const notOpen = ({ status }: InvoiceStateRow) =>
  new AppError("conflict", `invoice_${status}`, `The invoice is ${status}.`, {
    details: {
      hint: status === "paid" ? "Issue a credit note instead." : "Issue a new invoice of its month.",
    },
  });

async function setState(
  tx: Query,
  { invoiceStates }: PlatformTables,
  { tenantId, id }: InvoiceRow,
  change: Pick<InvoiceStateRow, "status" | "paidOn" | "changedAt">,
): Promise<InvoiceStateRow> {
  const [state] = await tx
    .update(invoiceStates)
    .set(change)
    .where(and(eq(invoiceStates.tenantId, tenantId), eq(invoiceStates.id, id)))
    .returning();
  if (state === undefined) throw noInvoice();
  return state;
}
