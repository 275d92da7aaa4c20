import type { ReactNode } from "react";
import { decimalSign } from "../text/locale.ts";

/** The part of a table's column that alignment uses. */
interface AlignedColumn<Row> {
  id: string;
  align?: "end" | "decimal";
  cell: (row: Row) => ReactNode;
}

/** A text with a number: what comes before its last digit, its fraction with the sign before it, and what follows: `$1` `.50` ` per month`. */
const lastNumber = decimalSign === "," ? /^(.*?\d)(,\d+)?(\D*)$/s : /^(.*?\d)(\.\d+)?(\D*)$/s;

/** Returns the width of a number's fraction: 3 for `0.15`, 0 for `12` and for a text without a number. */
export const fractionWidth = (text: string): number => lastNumber.exec(text)?.[2]?.length ?? 0;

/** Returns the width of the widest fraction; contents of cells that are not texts count as none. */
export const widestFraction = (contents: readonly unknown[]): number =>
  contents.reduce<number>(
    (widest, content) => (typeof content === "string" ? Math.max(widest, fractionWidth(content)) : widest),
    0,
  );

/** A number whose decimal point is below those of its column: unseen digits make up for what its fraction lacks. */
export function AlignedNumber({ text, width }: { text: string; width: number }) {
  const [, number = "", fraction = "", rest = ""] = lastNumber.exec(text) ?? [];
  const missing = width - fraction.length;
  if (number === "" || missing <= 0) return text;
  const unseen = fraction === "" ? `${decimalSign}${"0".repeat(missing - 1)}` : "0".repeat(missing);
  return (
    <>
      {number}
      {fraction}
      <span className="ar-unseen-digits" data-digits={unseen} />
      {rest}
    </>
  );
}

/** Returns, for each column of decimals, the width of its widest fraction. */
export function fractionWidths<Row>(
  columns: readonly AlignedColumn<Row>[],
  rows: readonly Row[],
  foot?: ReactNode,
): ReadonlyMap<string, number> {
  const widths = columns
    .filter(({ align }) => align === "decimal")
    .map(({ id, cell }): [string, number] => {
      const isLast = columns.at(-1)?.id === id;
      return [id, widestFraction([...rows.map((row) => cell(row)), ...(isLast ? [foot] : [])])];
    });
  return new Map(widths);
}

/** Returns the content of a cell; of a column of decimals, with its point below the others. */
export const aligned = (content: ReactNode, width: number | undefined): ReactNode =>
  width === undefined || typeof content !== "string" ? (
    content
  ) : (
    <AlignedNumber text={content} width={width} />
  );
