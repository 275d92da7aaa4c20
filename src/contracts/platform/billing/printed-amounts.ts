import { creditsText, grouped, usdText } from "../../amounts.ts";
import type { StatementCharge } from "./billing.ts";
import type { Invoice } from "./invoices.ts";

/** Currency of every price and amount. */
export const currency = "USD";

/** Printed form of a charge. */
export interface PrintedCharge {
  /** `1 month`, `12 of 31 days`, `3`, `42.2183 credits`. */
  quantity: string;
  /** With every digit, so quantity × unit price equals the amount. */
  unitPrice: string;
  amount: string;
}

/** Formats a charge of a month (`YYYY-MM`). The quantity times the unit price, rounded to a micro, equals the amount. */
export function printedCharge(charge: ChargeAmounts, period: string): PrintedCharge {
  return {
    quantity: quantityText(charge, period),
    unitPrice: usdText(charge.unit_price_micros),
    amount: usdText(charge.amount_micros),
  };
}

/** One sum below the lines of an invoice. */
export interface PrintedSum {
  label: string;
  amount: string;
  isTotal: boolean;
}

type InvoiceSums = Pick<
  Invoice,
  "subtotal_micros" | "rounding_micros" | "net_micros" | "taxes" | "total_micros" | "credited_micros"
>;

/** Formats the sums of an invoice, so that each follows from those above it. */
export function invoiceSums(invoice: InvoiceSums): PrintedSum[] {
  const { subtotal_micros, rounding_micros, net_micros, taxes, total_micros, credited_micros } = invoice;
  const sum = (label: string, micros: number, isTotal = false) => ({
    label,
    amount: usdText(micros),
    isTotal,
  });
  return [
    ...(rounding_micros === 0
      ? []
      : [sum("Subtotal", subtotal_micros), sum("Rounding to cents", rounding_micros)]),
    ...(taxes.length === 0 ? [] : [sum("Net amount", net_micros)]),
    ...taxes.map((tax) => sum(`${tax.name} (${percentText(tax.rate_ppm)})`, tax.amount_micros)),
    sum("Total", total_micros, true),
    ...(credited_micros === 0 ? [] : [sum("Credit notes", credited_micros)]),
  ];
}

/** 210000 → `21 %`. */
export const percentText = (ppm: number): string => `${creditsText(ppm * 100)} %`;

type ChargeAmounts = Pick<StatementCharge, "type" | "quantity" | "unit_price_micros" | "amount_micros">;

function quantityText({ type, quantity }: ChargeAmounts, period: string): string {
  if (type === "creditos_extra") return `${creditsText(quantity)} credits`;
  if (type !== "cuota") return grouped(String(quantity));
  const [year = "", month = ""] = period.split("-");
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return quantity === days ? "1 month" : `${quantity} of ${days} days`;
}
