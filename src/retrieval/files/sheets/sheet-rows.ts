import type { DocumentWriter } from "../document-writer.ts";

const namesMax = 500;

/**
 * Writes the rows of a sheet, each with the names of its columns: `Name: Ada | Price: 12`. The first row with several cells names the
 * columns if none of its cells is a number; otherwise the cells stand alone.
 */
export class SheetRows {
  readonly #writer: DocumentWriter;
  #names: string[] | undefined;

  constructor(writer: DocumentWriter) {
    this.#writer = writer;
  }

  add(row: readonly string[]): void {
    const cells = row.map((cell) => cell.replace(/\s+/g, " ").trim());
    const filled = cells.filter((cell) => cell !== "");
    if (filled.length === 0) return;
    // Titles above a table.
    if (this.#names === undefined && filled.length === 1) {
      this.#writer.line(filled[0] ?? "");
      return;
    }
    if (this.#names === undefined) {
      const isHeader = filled.every((cell) => !isNumber(cell)) && new Set(filled).size === filled.length;
      this.#names = isHeader ? cells.slice(0, namesMax) : [];
      this.#writer.line(filled.join(" | "));
      return;
    }
    const names = this.#names;
    const parts = cells.map((cell, at) => (cell === "" ? "" : names[at] ? `${names[at]}: ${cell}` : cell));
    this.#writer.line(parts.filter((part) => part !== "").join(" | "));
  }
}

const isNumber = (cell: string) => /^[-+(]?\p{Sc}?\s?\d[\d.,\s']*(?:%|\p{Sc})?\)?$/u.test(cell);
