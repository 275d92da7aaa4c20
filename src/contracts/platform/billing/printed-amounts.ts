import { creditsText, grouped, usdText } from "../../amounts.ts";
import type { StatementCharge } from "./billing.ts";
import type { Invoice } from "./invoices.ts";

/** Currency of every price and amount. */
export const currency = "USD";

/** Words beside the amounts of a statement or an invoice. */
export interface AmountWords {
  month: string;
  days: (days: string, of: string) => string;
  credits: (amount: string) => string;
  subtotal: string;
  rounding: string;
  net: string;
  total: string;
  creditNotes: string;
}

export const englishWords: AmountWords = {
  month: "1 month",
  days: (days, of) => `${days} of ${of} days`,
  credits: (amount) => `${amount} credits`,
  subtotal: "Subtotal",
  rounding: "Rounding to cents",
  net: "Net amount",
  total: "Total",
  creditNotes: "Credit notes",
};

/** How a reader's language writes amounts. */
export interface AmountWriter {
  usd: (micros: number) => string;
  credits: (micros: number) => string;
  count: (whole: number) => string;
  words: AmountWords;
}

const english: AmountWriter = {
  usd: usdText,
  credits: creditsText,
  count: (whole) => grouped(String(whole)),
  words: englishWords,
};

/** Printed form of a charge. */
export interface PrintedCharge {
  /** `1 month`, `12 of 31 days`, `3`, `42.2183 credits`. */
  quantity: string;
  /** With every digit, so quantity × unit price equals the amount. */
  unitPrice: string;
  amount: string;
}

/** Formats a charge of a month (`YYYY-MM`). The quantity times the unit price, rounded to a micro, equals the amount. */
export function printedCharge(
  charge: ChargeAmounts,
  period: string,
  writer: AmountWriter = english,
): PrintedCharge {
  return {
    quantity: quantityText(charge, period, writer),
    unitPrice: writer.usd(charge.unit_price_micros),
    amount: writer.usd(charge.amount_micros),
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
export function invoiceSums(invoice: InvoiceSums, writer: AmountWriter = english): PrintedSum[] {
  const { words } = writer;
  const { subtotal_micros, rounding_micros, net_micros, taxes, total_micros, credited_micros } = invoice;
  const sum = (label: string, micros: number, isTotal = false) => ({
    label,
    amount: writer.usd(micros),
    isTotal,
  });
  return [
    ...(rounding_micros === 0
      ? []
      : [sum(words.subtotal, subtotal_micros), sum(words.rounding, rounding_micros)]),
    ...(taxes.length === 0 ? [] : [sum(words.net, net_micros)]),
    ...taxes.map((tax) => sum(`${tax.name} (${percentText(tax.rate_ppm, writer)})`, tax.amount_micros)),
    sum(words.total, total_micros, true),
    ...(credited_micros === 0 ? [] : [sum(words.creditNotes, credited_micros)]),
  ];
}

/** 210000 → `21 %`. */
export const percentText = (ppm: number, writer: Pick<AmountWriter, "credits"> = english): string =>
  `${writer.credits(ppm * 100)} %`;

type ChargeAmounts = Pick<StatementCharge, "type" | "quantity" | "unit_price_micros" | "amount_micros">;

function quantityText({ type, quantity }: ChargeAmounts, period: string, writer: AmountWriter): string {
  const { count, credits, words } = writer;
  if (type === "creditos_extra") return words.credits(credits(quantity));
  if (type !== "cuota") return count(quantity);
  const [year = "", month = ""] = period.split("-");
  const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return quantity === days ? words.month : words.days(count(quantity), count(days));
}
