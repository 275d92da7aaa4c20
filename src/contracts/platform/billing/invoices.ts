import { type Static, Type } from "@sinclair/typebox";
import { StatementCharge } from "./billing.ts";
import { Day, Month } from "./fields.ts";
import { Reason } from "./grants.ts";
import { microsMax } from "./micros.ts";

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const line = (description: string) => Type.String({ maxLength: 200, description });
const Range = (description: string) =>
  Type.String({
    pattern: "^[A-Za-z0-9/._-]{0,20}(\\{year\\})?[A-Za-z0-9/._-]{0,20}$",
    description: `${description} \`{year}\` is the year of issue; each text has numbers of its own.`,
  });
const DueDays = Type.Integer({
  minimum: 0,
  maximum: 365,
  description: "Days from the issue to the due date.",
});

/** Name and address as an invoice shows them. */
const party = {
  name: line("Legal name."),
  address: Type.String({ maxLength: 1000, description: "Address, in lines." }),
  tax_id: line("Tax number; empty for none."),
  email: line("E-mail for questions; empty for none."),
};
export const Party = Type.Object(party);
export type Party = Static<typeof Party>;

/** The seller of all invoices, and how they are numbered. */
export const InvoiceSettings = Type.Object({
  seller: Type.Object({
    ...party,
    payment: Type.String({ maxLength: 1000, description: "How to pay, such as bank details, in lines." }),
  }),
  invoice_range: Range("Text before the number of an invoice."),
  credit_note_range: Range("Text before the number of a credit note."),
  due_days: DueDays,
});
export type InvoiceSettings = Static<typeof InvoiceSettings>;

export const TaxRate = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 60, description: "Name of the tax, such as `VAT 21 %`." }),
  rate_ppm: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: "Rate in parts per million: 210000 is 21 %.",
  }),
});
export type TaxRate = Static<typeof TaxRate>;

/** What a tenant's invoices say about the customer. */
export const InvoiceCustomer = Type.Object({
  customer: Party,
  taxes: Type.Array(TaxRate, { maxItems: 5, description: "Taxes on the net amount." }),
  due_days: orNull(DueDays),
  note: Type.String({ maxLength: 1000, description: "Text on each invoice, such as an order number." }),
});
export type InvoiceCustomer = Static<typeof InvoiceCustomer>;

export const InvoiceTax = Type.Object({
  ...TaxRate.properties,
  base_micros: Type.Integer(),
  amount_micros: Type.Integer({ description: "Whole cents, rounded half up." }),
});
export type InvoiceTax = Static<typeof InvoiceTax>;

export const InvoiceStatus = Type.Union([Type.Literal("open"), Type.Literal("paid"), Type.Literal("void")]);
export type InvoiceStatus = Static<typeof InvoiceStatus>;

const summary = {
  id: Type.String(),
  number: Type.String(),
  kind: Type.Union([Type.Literal("invoice"), Type.Literal("credit_note")]),
  tenant_id: Type.String(),
  tenant_name: Type.String(),
  period: Month,
  currency: Type.Literal("USD"),
  status: InvoiceStatus,
  overdue: Type.Boolean({ description: "True if it is open, due before today and not fully credited." }),
  issued_on: Day,
  due_on: Day,
  paid_on: orNull(Day),
  subtotal_micros: Type.Integer({ description: "Sum of the lines." }),
  rounding_micros: Type.Integer({
    description: "Added to the subtotal so that the net amount is in whole cents.",
  }),
  net_micros: Type.Integer({ description: "Subtotal plus rounding." }),
  tax_micros: Type.Integer({ description: "Sum of the taxes." }),
  total_micros: Type.Integer({ description: "Net amount plus taxes. Negative for a credit note." }),
  credited_micros: Type.Integer({ description: "Sum of the totals of its credit notes: 0 or negative." }),
  balance_micros: Type.Integer({
    description: "Total plus credited while it is open; 0 if it is paid, void or a credit note.",
  }),
  credits_invoice: orNull(Type.String({ description: "Number of the invoice that a credit note reduces." })),
};

export const InvoiceSummary = Type.Object(summary);
export type InvoiceSummary = Static<typeof InvoiceSummary>;

export const Invoice = Type.Object({
  ...summary,
  seller: InvoiceSettings.properties.seller,
  customer: Party,
  note: Type.String(),
  reason: orNull(Type.String({ description: "Reason of a credit note." })),
  lines: Type.Array(StatementCharge),
  taxes: Type.Array(InvoiceTax),
});
export type Invoice = Static<typeof Invoice>;

const sums = {
  count: Type.Integer(),
  net_micros: Type.Integer(),
  tax_micros: Type.Integer(),
  total_micros: Type.Integer(),
  balance_micros: Type.Integer(),
};

export const InvoiceList = Type.Object({
  invoices: Type.Array(InvoiceSummary),
  totals: Type.Object(sums, { description: "Sums of the invoices in this answer." }),
  next_cursor: Type.Optional(
    Type.String({ description: "Cursor of the next page. Absent on the last page." }),
  ),
});
export type InvoiceList = Static<typeof InvoiceList>;

export const InvoiceRunInput = Type.Object({
  period: Month,
  tenant_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 500,
      description: "Tenants to invoice. Absent: all that have closed periods and no invoice of the month.",
    }),
  ),
});
export type InvoiceRunInput = Static<typeof InvoiceRunInput>;

const refused = Type.Array(Type.Object({ id: Type.String(), error: Type.String(), message: Type.String() }), {
  description: "What was refused, with the reason.",
});

export const InvoiceRun = Type.Object({
  period: Month,
  created: Type.Array(InvoiceSummary),
  refused,
  left: Type.Integer({ description: "Tenants that a further call would invoice: each makes at most 200." }),
});
export type InvoiceRun = Static<typeof InvoiceRun>;

export const InvoiceMarkInput = Type.Object({
  ids: Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 500 }),
  paid_on: Type.Optional({ ...Day, description: "Day of the payment, at most today (UTC). Default: today." }),
});
export type InvoiceMarkInput = Static<typeof InvoiceMarkInput>;

export const InvoiceMarks = Type.Object({ paid: Type.Array(InvoiceSummary), refused });
export type InvoiceMarks = Static<typeof InvoiceMarks>;

export const VoidInput = Type.Object({ reason: Reason("Reason, shown on the credit note.") });
export type VoidInput = Static<typeof VoidInput>;

export const CreditNoteInput = Type.Object({
  net_micros: Type.Integer({
    minimum: 10_000,
    maximum: microsMax,
    multipleOf: 10_000,
    description: "Net amount to credit, in micros of USD: whole cents. The taxes of the invoice are added.",
  }),
  reason: Reason("Reason, shown on the credit note."),
});
export type CreditNoteInput = Static<typeof CreditNoteInput>;
