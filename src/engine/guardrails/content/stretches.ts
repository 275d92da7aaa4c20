/** A stretch of a text that matches, `[start, end)`. */
export interface Stretch {
  start: number;
  end: number;
}

/** Stretches in order, with those that overlap or touch made one. */
export function merged(stretches: readonly Stretch[]): Stretch[] {
  const result: Stretch[] = [];
  for (const { start, end } of stretches.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last === undefined || start > last.end) result.push({ start, end });
    else last.end = Math.max(last.end, end);
  }
  return result;
}

/** Adds a stretch; a list that grows by one that goes on where its last one ended stays as short as it was. */
export function addStretch(list: Stretch[], start: number, end: number): void {
  const last = list.at(-1);
  if (last !== undefined && start <= last.end && end >= last.start) {
    last.start = Math.min(last.start, start);
    last.end = Math.max(last.end, end);
  } else {
    list.push({ start, end });
  }
}
