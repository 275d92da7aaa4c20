/** A line of a diff. `…` replaces unchanged lines. */
export interface DiffLine {
  mark: "+" | "-" | " " | "…";
  text: string;
}

/** Equal lines shown around a change. */
const context = 2;
/** Comparisons of lines; larger texts are shown as replaced where they differ. */
const comparisonsMax = 1_000_000;

/** Returns the lines that were removed and added, with a few equal ones around them. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const equal = (lines: readonly string[]): DiffLine[] => lines.map((text) => ({ mark: " ", text }));
  return cutEqual([
    ...equal(before.slice(0, start)),
    ...middleOf(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...equal(before.slice(before.length - end)),
  ]);
}

/** Compares by the longest common subsequence. */
function middleOf(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ mark: "-", text });
  const added = (text: string): DiffLine => ({ mark: "+", text });
  if (before.length * after.length > comparisonsMax) return [...before.map(removed), ...after.map(added)];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      common[row * width + column] =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < before.length || column < after.length) {
    const one = before[row];
    const other = after[column];
    if (one !== undefined && one === other) {
      lines.push({ mark: " ", text: one });
      row++;
      column++;
    } else if (one !== undefined && (other === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(one));
      row++;
    } else {
      lines.push(added(other ?? ""));
      column++;
    }
  }
  return lines;
}

/** Leaves out equal lines that are far from a change. */
function cutEqual(lines: readonly DiffLine[]): DiffLine[] {
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - context), index + context + 1).some(({ mark }) => mark !== " "),
  );
  return lines.flatMap((line, index): DiffLine[] => {
    if (near[index] === true) return [line];
    const isFirst = index === 0 || near[index - 1] === true;
    return isFirst ? [{ mark: "…", text: "" }] : [];
  });
}
