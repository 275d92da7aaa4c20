/** A matching range of a text, `[start, end)`. */
export interface TextRange {
  start: number;
  end: number;
}

/** Sorted ranges in which overlapping and touching ones are merged. */
export function merged(ranges: readonly TextRange[]): TextRange[] {
  const result: TextRange[] = [];
  for (const { start, end } of ranges.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last === undefined || start > last.end) result.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return result;
}

/** Adds a range and merges it with the last one if they touch, so that adjacent ranges don't lengthen the list. */
export function addRange(list: TextRange[], start: number, end: number): void {
  const last = list.at(-1);
  if (last !== undefined && start <= last.end && end >= last.start) {
    last.start = Math.min(last.start, start);
    last.end = Math.max(last.end, end);
  } else {
    list.push({ start, end });
  }
}
