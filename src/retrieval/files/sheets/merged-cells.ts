/** Cells that are shown as one, by the numbers of their rows and columns. */
export interface MergedCells {
  top: number;
  left: number;
  bottom: number;
  right: number;
}

export interface SheetRow {
  number: number;
  cells: string[];
  /** Merged cells that begin in this row, if it should name the columns. */
  head?: HeadShape;
}

/** The shape of a row that names columns. */
export interface HeadShape {
  /** Rows that its cells go over. */
  rows: number;
  /** Columns that share a name, which the next row may divide. */
  wide: ReadonlySet<number>;
}

const mergedCellsMax = 100_000;

/** Gives each cell of a merged area its label. A title above a table, the only cell of its row, is not repeated. */
export function spreadMerged(rows: readonly SheetRow[], merges: readonly MergedCells[]): void {
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const alone = new Set(
    rows
      .filter(({ cells }) => cells.filter((cell) => cell.trim() !== "").length === 1)
      .map(({ number }) => number),
  );
  let left = mergedCellsMax;
  for (const merge of merges) {
    const first = byNumber.get(merge.top);
    const text = first?.cells[merge.left];
    if (first === undefined || !text) continue;
    const right = alone.has(merge.top) ? merge.left : merge.right;
    for (let number = merge.top; number <= merge.bottom && left > 0; number++) {
      const cells = byNumber.get(number)?.cells;
      if (cells === undefined) {
        left--;
        continue;
      }
      for (let column = merge.left; column <= right && left > 0; column++, left--) {
        while (cells.length < column) cells.push("");
        cells[column] = cells[column] || text;
      }
    }
    if (alone.has(merge.top)) continue;
    const wide = new Set(first.head?.wide);
    if (right > merge.left) for (let column = merge.left; column <= right; column++) wide.add(column);
    first.head = { rows: Math.max(first.head?.rows ?? 1, merge.bottom - merge.top + 1), wide };
  }
}
