import { alignedNumber, fractionWidth } from "../../contracts/amounts.ts";
import { type Inline, neutralise, textOf } from "./paint.ts";

const gap = "  ";
/** Minimum width of a column; a narrower terminal wraps. */
const columnWidthMin = 8;

/**
 * Lays out rows as lines of aligned columns, cut to `widthMax` if given. The last column is cut first. The first is never cut, because
 * users copy it from the table.
 */
export function layoutTable(rows: readonly (readonly Inline[])[], widthMax?: number): Inline[][] {
  const cells = alignDollars(rows.map((row) => row.map((cell) => withText(cell, oneLine(textOf(cell))))));
  const widths = fittedWidths(naturalWidths(cells), widthMax);
  return cells.map((row) =>
    row.flatMap((cell, column) => {
      const text = cut(textOf(cell), widths[column] ?? 0);
      // No blanks at the end of a line.
      if (column === row.length - 1) return [withText(cell, text)];
      return [withText(cell, text), " ".repeat((widths[column] ?? 0) - Bun.stringWidth(text)), gap];
    }),
  );
}

const dollars = /^-?\$\d/;

/** Gives the amounts of a column of dollars the same number of decimals. */
function alignDollars(rows: readonly (readonly Inline[])[]): (readonly Inline[])[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries())
      if (dollars.test(textOf(cell)))
        widths[column] = Math.max(widths[column] ?? 0, fractionWidth(textOf(cell)));
  return rows.map((row) =>
    row.map((cell, column) => {
      const width = widths[column];
      if (width === undefined || !dollars.test(textOf(cell))) return cell;
      return withText(cell, alignedNumber(textOf(cell), width));
    }),
  );
}

/** Cuts `text` to at most `widthMax` terminal columns, with an ellipsis if it was cut. */
export function cut(text: string, widthMax: number): string {
  if (Bun.stringWidth(text) <= widthMax) return text;
  let visibleText = "";
  let width = 1;
  for (const character of text) {
    width += Bun.stringWidth(character);
    if (width > widthMax) break;
    visibleText += character;
  }
  return `${visibleText}…`;
}

/** Returns a cell's text as one line without control characters. */
export function oneLine(text: string): string {
  return neutralise(text).replaceAll(/\s+/g, " ").trim();
}

function withText(cell: Inline, text: string): Inline {
  return typeof cell === "string" ? text : { ...cell, text };
}

function naturalWidths(rows: readonly (readonly Inline[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, Bun.stringWidth(textOf(cell)));
    }
  }
  return widths;
}

function fittedWidths(natural: readonly number[], widthMax = Number.POSITIVE_INFINITY): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - widthMax;
  for (let column = widths.length - 1; column > 0 && excess > 0; column--) {
    const width = widths[column] ?? 0;
    const given = Math.min(excess, Math.max(0, width - columnWidthMin));
    widths[column] = width - given;
    excess -= given;
  }
  return widths;
}

/** Formats a count and its noun: `1 file`, `3 files`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}
