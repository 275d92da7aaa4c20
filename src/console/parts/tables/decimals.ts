import type { ReactNode } from "react";
import { alignedNumber, fractionWidth } from "../../../contracts/amounts.ts";
import { decimalSign } from "../text/locale.ts";

/** The part of a table's column that alignment uses. */
interface AlignedColumn<Row> {
  id: string;
  align?: "end" | "decimal";
  cell: (row: Row) => ReactNode;
}

const sign = decimalSign === "," ? "," : ".";

/** Returns the width of the widest fraction; contents of cells that are not texts count as none. */
export const widestFraction = (contents: readonly unknown[]): number =>
  contents.reduce<number>(
    (widest, content) =>
      typeof content === "string" ? Math.max(widest, fractionWidth(content, sign)) : widest,
    0,
  );

/** Returns, for each column of decimals, the width of its widest fraction. */
export function fractionWidths<Row>(
  columns: readonly AlignedColumn<Row>[],
  rows: readonly Row[],
): ReadonlyMap<string, number> {
  const widths = columns
    .filter(({ align }) => align === "decimal")
    .map(({ id, cell }): [string, number] => [id, widestFraction(rows.map((row) => cell(row)))]);
  return new Map(widths);
}

/** Returns the content of a cell; of a column of decimals, with as many of them as the others. */
export const aligned = (content: ReactNode, width: number | undefined): ReactNode =>
  width === undefined || typeof content !== "string" ? content : alignedNumber(content, width, sign);
