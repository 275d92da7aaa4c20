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
  // Names of releases that took any text may hold control characters.
  const line = value.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
  // A spreadsheet would take text that begins so for a formula, also behind blanks and in full width.
  const text = /^[=+\-@＝＋－＠]/.test(line.trimStart()) ? `'${line}` : line;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
