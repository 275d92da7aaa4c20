import { sql } from "drizzle-orm";
import type { StatementCharge } from "../../../contracts/platform/billing/billing.ts";
import type {
  InvoiceCustomer,
  InvoiceSettings,
  InvoiceStatus,
  InvoiceTax,
  Party,
} from "../../../contracts/platform/billing/invoices.ts";
import type { Columns } from "../../../storage/tables/columns.ts";

/** What an invoice says besides its amounts. */
export interface InvoiceContent {
  seller: InvoiceSettings["seller"];
  customer: Party;
  note: string;
  reason: string | null;
  lines: StatementCharge[];
  taxes: InvoiceTax[];
}

/** Invoices and credit notes. What they say never changes; their states do. Days are UTC dates. */
export const invoiceTables = ({
  table,
  id,
  text,
  integer,
  instant,
  json,
  money,
  index,
  unique,
  primaryKey,
}: Columns) => ({
  /** One row. */
  invoiceSettings: table("invoice_settings", {
    id: id("id").primaryKey(),
    settings: json<InvoiceSettings>("settings").notNull(),
    updatedAt: instant("updated_at").notNull(),
  }),
  invoiceCustomers: table("invoice_customers", {
    tenantId: id("tenant_id").primaryKey(),
    details: json<InvoiceCustomer>("details").notNull(),
    updatedAt: instant("updated_at").notNull(),
  }),
  /** The last number of each range. It is raised in the transaction of the invoice, so no number is missing. */
  invoiceRanges: table("invoice_ranges", {
    range: id("range").primaryKey(),
    lastNumber: integer("last_number").notNull(),
  }),
  invoices: table(
    "invoices",
    {
      tenantId: id("tenant_id").notNull(),
      id: id("id").notNull(),
      kind: text("kind").$type<"invoice" | "credit_note">().notNull(),
      range: id("range").notNull(),
      number: integer("number").notNull(),
      /** `YYYY-MM`. */
      month: text("month").notNull(),
      issuedOn: text("issued_on").notNull(),
      dueOn: text("due_on").notNull(),
      subtotalMicros: money("subtotal_micros").notNull(),
      netMicros: money("net_micros").notNull(),
      taxMicros: money("tax_micros").notNull(),
      totalMicros: money("total_micros").notNull(),
      /** Invoice that a credit note reduces. */
      invoiceId: id("invoice_id"),
      content: json<InvoiceContent>("content").notNull(),
      createdBy: text("created_by").notNull(),
      createdAt: instant("created_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.id] }),
      unique("invoices_id").on(row.id),
      unique("invoices_number").on(row.range, row.number),
      index("invoices_month").on(row.month, row.id),
      index("invoices_credits").on(row.tenantId, row.invoiceId).where(sql`${row.invoiceId} is not null`),
    ],
  ),
  invoiceStates: table(
    "invoice_states",
    {
      tenantId: id("tenant_id").notNull(),
      id: id("id").notNull(),
      kind: text("kind").$type<"invoice" | "credit_note">().notNull(),
      month: text("month").notNull(),
      status: text("status").$type<InvoiceStatus>().notNull(),
      paidOn: text("paid_on"),
      changedAt: instant("changed_at").notNull(),
    },
    (row) => [
      primaryKey({ columns: [row.tenantId, row.id] }),
      // One invoice of a tenant and month, and further ones once it is void.
      unique("invoice_states_month")
        .on(row.tenantId, row.month)
        .where(sql`${row.kind} = 'invoice' and ${row.status} <> 'void'`),
    ],
  ),
});

export type InvoiceTables = ReturnType<typeof invoiceTables>;
export type InvoiceRow = InvoiceTables["invoices"]["$inferSelect"];
export type InvoiceStateRow = InvoiceTables["invoiceStates"]["$inferSelect"];
