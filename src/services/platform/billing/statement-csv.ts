import type { Statement, StatementCharge } from "../../../contracts/platform/billing.ts";

const columns = [
  "type",
  "description",
  "quantity",
  "unit_price_micros",
  "amount_micros",
  "subscription_id",
] as const satisfies readonly (keyof StatementCharge)[];

/** A header, then a line for each charge, as RFC 4180 has it. */
export function statementCsv({ charges }: Statement): string {
  const lines = charges.map((charge) => columns.map((column) => cellOf(charge[column])).join(","));
  return [columns.join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

function cellOf(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  // A spreadsheet would take text that begins so for a formula.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
