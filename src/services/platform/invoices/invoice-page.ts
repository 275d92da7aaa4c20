import { Eta } from "eta/core";
import type { Invoice } from "../../../contracts/platform/billing/invoices.ts";
import { invoiceSums, printedCharge } from "../../../contracts/platform/billing/printed-amounts.ts";
import { chargeCaptions, printedPageHeaders } from "../billing/statement-page.ts";
import style from "./invoice-page.css" with { type: "text" };
import template from "./invoice-page.eta" with { type: "text" };

export const invoicePageHeaders = printedPageHeaders(style);

const titles: Record<Invoice["kind"], string> = { invoice: "Invoice", credit_note: "Credit note" };

/** Renders an invoice as a page for printing, with every line in full. */
export function invoicePage(invoice: Invoice): string {
  const eta = new Eta({ autoEscape: true, varName: "page" });
  return eta.renderString(template, {
    style,
    invoice,
    title: titles[invoice.kind],
    state: stateText(invoice),
    lines: invoice.lines.map((line) => ({
      type: chargeCaptions[line.type],
      description: line.description,
      ...printedCharge(line, invoice.period),
    })),
    sums: invoiceSums(invoice),
  });
}

function stateText({ status, paid_on }: Invoice): string {
  if (status === "void") return "Void";
  return status === "paid" ? `Paid on ${paid_on}` : "";
}
