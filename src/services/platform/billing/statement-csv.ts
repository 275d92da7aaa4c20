import type { Statement, StatementCharge } from "../../../contracts/platform/billing/billing.ts";

const columns = [
  "type",
  "description",
  "quantity",
  "unit_price_micros",
  "amount_micros",
  "subscription_id",
] as const satisfies readonly (keyof StatementCharge)[];

/** Writes a statement as CSV (RFC 4180): a header, then one line for each charge. */
export function statementCsv({ charges }: Statement): string {
  const lines = charges.map((charge) => columns.map((column) => cellOf(charge[column])).join(","));
  return [columns.join(","), ...lines].map((line) => `${line}\r\n`).join("");
}

function cellOf(value: string | number | null): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  // Names stored by earlier releases may contain control characters.
  const line = value.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
  // A spreadsheet would read such text as a formula, also after blanks and in full-width form.
  const text = /^[=+\-@＝＋－＠]/.test(line.trimStart()) ? `'${line}` : line;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
