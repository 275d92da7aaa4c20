import type { InvoiceTax, TaxRate } from "../../../contracts/platform/billing/invoices.ts";
import { exactInteger } from "../../../storage/tables/column-values.ts";

const centMicros = 10_000n;

/** Amounts of an invoice, in micros. */
export interface InvoiceAmounts {
  subtotalMicros: number;
  /** Subtotal in whole cents. */
  netMicros: number;
  taxes: InvoiceTax[];
  taxMicros: number;
  /** Net amount plus taxes, in whole cents. */
  totalMicros: number;
}

/**
 * Computes an invoice from its lines. The subtotal is rounded to cents once, and each tax once; the total is the sum of these. Half cents are
 * rounded away from zero, so a credit note has the same amounts as its invoice.
 */
export function invoiceAmounts(lineMicros: readonly number[], rates: readonly TaxRate[]): InvoiceAmounts {
  const subtotal = lineMicros.reduce((sum, amount) => sum + BigInt(amount), 0n);
  const net = wholeCents(subtotal, 1n);
  const taxes = rates.map(({ name, rate_ppm }) => ({
    name,
    rate_ppm,
    base_micros: numberOf(net),
    amount_micros: numberOf(wholeCents(net * BigInt(rate_ppm), 1_000_000n)),
  }));
  const tax = taxes.reduce((sum, { amount_micros }) => sum + BigInt(amount_micros), 0n);
  return {
    subtotalMicros: numberOf(subtotal),
    netMicros: numberOf(net),
    taxes,
    taxMicros: numberOf(tax),
    totalMicros: numberOf(net + tax),
  };
}

/** `micros / divisor` in whole cents. */
function wholeCents(micros: bigint, divisor: bigint): bigint {
  const unit = centMicros * divisor;
  const size = micros < 0n ? -micros : micros;
  const cents = (size + unit / 2n) / unit;
  return (micros < 0n ? -cents : cents) * centMicros;
}

const numberOf = (micros: bigint) => exactInteger(Number(micros));
