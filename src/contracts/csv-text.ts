export type CsvCell = string | number | null;

/** Writes a table as CSV (RFC 4180): the header, then a line for each row. */
export const csvText = (header: readonly string[], rows: readonly (readonly CsvCell[])[]): string =>
  [header, ...rows].map((row) => `${row.map(cellOf).join(",")}\r\n`).join("");

function cellOf(value: CsvCell): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  // A cell is one line, without control characters.
  const line = value.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
  // A spreadsheet would read such text as a formula, also after blanks and in full-width form.
  const text = /^[=+\-@＝＋－＠]/.test(line.trimStart()) ? `'${line}` : line;
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
