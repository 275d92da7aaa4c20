import { eq } from "drizzle-orm";
import type { InvoiceCustomer, InvoiceSettings } from "../../../contracts/platform/billing/invoices.ts";
import { writeAudit } from "../../../control-plane/audit/write-audit.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ReadQuery } from "../../../storage/storage.ts";
import type { Operator } from "../auth/credentials.ts";
import type { PlatformTables, StoreDeps } from "../tables.ts";

const settingsId = "settings";

const noParty = { name: "", address: "", tax_id: "", email: "" };

/** Settings before an operator sets them. */
const defaults: InvoiceSettings = {
  seller: { ...noParty, payment: "" },
  invoice_range: "INV-{year}-",
  credit_note_range: "CN-{year}-",
  due_days: 30,
};

export async function readInvoiceSettings(
  query: ReadQuery,
  { invoiceSettings }: PlatformTables,
): Promise<InvoiceSettings> {
  const [row] = await query.select().from(invoiceSettings).where(eq(invoiceSettings.id, settingsId));
  return row?.settings ?? defaults;
}

/** Changes what later invoices say. */
export function writeInvoiceSettings(
  deps: StoreDeps,
  { actor }: Operator,
  settings: InvoiceSettings,
  requestId: string,
): Promise<InvoiceSettings> {
  const { storage, clock } = deps;
  const { invoiceSettings } = storage.tables;
  if (settings.invoice_range === settings.credit_note_range) {
    const message = "must differ from invoice_range";
    throw new AppError("invalid", "invalid_request", `The body is not valid: credit_note_range ${message}.`, {
      details: { problems: [{ path: "credit_note_range", message }] },
    });
  }
  return storage.transact(async (tx) => {
    const now = clock.now();
    await tx
      .insert(invoiceSettings)
      .values({ id: settingsId, settings, updatedAt: now })
      .onConflictDoUpdate({ target: invoiceSettings.id, set: { settings, updatedAt: now } });
    await writeAudit(deps, tx, now, {
      actor,
      action: "invoice.settings",
      ownerId: null,
      detail: { ...settings },
      requestId,
    });
    return settings;
  });
}

/** Returns what a tenant's invoices say about the customer; by default its display name alone. Throws 404 for an unknown tenant. */
export async function readInvoiceCustomer(
  query: ReadQuery,
  { tenants, invoiceCustomers }: PlatformTables,
  tenantId: string,
): Promise<InvoiceCustomer> {
  const [tenant] = await query
    .select({ name: tenants.displayName })
    .from(tenants)
    .where(eq(tenants.id, tenantId));
  if (tenant === undefined) throw new AppError("not_found", "not_found", "There is no such tenant.");
  const [row] = await query.select().from(invoiceCustomers).where(eq(invoiceCustomers.tenantId, tenantId));
  return row?.details ?? { customer: { ...noParty, name: tenant.name }, taxes: [], due_days: null, note: "" };
}

export function writeInvoiceCustomer(
  deps: StoreDeps,
  { actor }: Operator,
  { tenantId, details, requestId }: { tenantId: string; details: InvoiceCustomer; requestId: string },
): Promise<InvoiceCustomer> {
  const { storage, clock } = deps;
  const { tables } = storage;
  return storage.transact(async (tx) => {
    const now = clock.now();
    await readInvoiceCustomer(tx, tables, tenantId);
    await tx
      .insert(tables.invoiceCustomers)
      .values({ tenantId, details, updatedAt: now })
      .onConflictDoUpdate({
        target: tables.invoiceCustomers.tenantId,
        set: { details, updatedAt: now },
      });
    await writeAudit(deps, tx, now, {
      actor,
      action: "invoice.customer",
      ownerId: tenantId,
      detail: { ...details },
      requestId,
    });
    return details;
  });
}
