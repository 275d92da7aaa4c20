import type { DocumentWriter } from "../document-writer.ts";
import type { HeadShape } from "./merged-cells.ts";

const namesMax = 500;
const headRowsMax = 4;

/**
 * Writes the rows of a sheet, each with the names of its columns: `Name: Ada | Price: 12`. The first row with several cells names the
 * columns if none of its cells is a number; otherwise the cells stand alone. Where its cells are merged, the next row may go on:
 * `Price net: 12`. Call `end` after the last row.
 */
export class SheetRows {
  readonly #writer: DocumentWriter;
  #names: string[] | undefined;
  /** Names that the next row may go on with. */
  #begun: { names: string[]; shape: HeadShape; rows: number } | undefined;

  constructor(writer: DocumentWriter) {
    this.#writer = writer;
  }

  add(row: readonly string[], shape?: HeadShape): void {
    const cells = row.map((cell) => cell.replace(/\s+/g, " ").trim());
    const filled = cells.filter((cell) => cell !== "");
    if (filled.length === 0) return;
    if (this.#begun !== undefined) {
      if (goesOn(this.#begun, cells)) {
        this.#begun.names = joined(this.#begun.names, cells);
        this.#begun.rows++;
        return;
      }
      this.end();
    }
    // Titles above a table.
    if (this.#names === undefined && filled.length === 1) {
      this.#writer.line(filled[0] ?? "");
      return;
    }
    if (this.#names === undefined) {
      const isHeader =
        filled.every((cell) => !isNumber(cell)) &&
        (shape !== undefined || new Set(filled).size === filled.length);
      if (isHeader && shape !== undefined) {
        this.#begun = { names: cells, shape, rows: 1 };
        return;
      }
      this.#names = isHeader ? cells.slice(0, namesMax) : [];
      this.#writer.line(filled.join(" | "));
      return;
    }
    const names = this.#names;
    const parts = cells.map((cell, at) => (cell === "" ? "" : names[at] ? `${names[at]}: ${cell}` : cell));
    this.#writer.line(parts.filter((part) => part !== "").join(" | "));
  }

  end(): void {
    if (this.#begun === undefined) return;
    this.#names = this.#begun.names.slice(0, namesMax);
    this.#begun = undefined;
    this.#writer.line(this.#names.filter((name) => name !== "").join(" | "));
  }
}

/** Returns true if the row is a part of the names: below cells that are merged down, or only below those that are merged sideways. */
function goesOn(
  { names, shape, rows }: { names: readonly string[]; shape: HeadShape; rows: number },
  cells: readonly string[],
): boolean {
  if (rows >= headRowsMax || cells.some(isNumber)) return false;
  if (rows < shape.rows) return true;
  const divides = cells.every((cell, at) => cell === "" || cell === names[at] || shape.wide.has(at));
  return rows === 1 && shape.wide.size > 0 && divides;
}

function joined(names: readonly string[], cells: readonly string[]): string[] {
  return Array.from({ length: Math.max(names.length, cells.length) }, (_, at) => {
    const [above = "", below = ""] = [names[at], cells[at]];
    return above === below || below === "" ? above : above === "" ? below : `${above} ${below}`;
  });
}

const isNumber = (cell: string) => /^[-+(]?\p{Sc}?\s?\d[\d.,\s']*\s?(?:%|\p{Sc})?\)?$/u.test(cell);
