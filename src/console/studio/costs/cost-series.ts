import { nearestMicros } from "../../../contracts/amounts.ts";
import type { CostHistory } from "../../../contracts/daemon/models/costs.ts";

/** Data of a cost chart: a row per interval, a series per name. */
export interface CostSeries {
  /** Amounts in micros. */
  rows: Record<string, string | number>[];
  /** Names, the most expensive first; the rest is combined in one series. */
  names: string[];
}

const seriesMax = 6;

/**
 * Sums the intervals by agent or model. Intervals without calls are rows of zeros, so that the axis is even. `labelOf` returns a row's
 * label on the axis; `others` names everything beyond the six most expensive.
 */
export function costSeries(
  { intervals, starts }: CostHistory,
  by: "agent" | "model",
  labelOf: (start: string) => string,
  others: string,
): CostSeries {
  const totals = new Map<string, number>();
  for (const entry of intervals) totals.set(entry[by], (totals.get(entry[by]) ?? 0) + entry.cost);
  const ranked = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  const shown = ranked.length <= seriesMax ? ranked : ranked.slice(0, seriesMax - 1);
  const names = ranked.length <= seriesMax ? shown : [...shown, others];

  const byStart = Map.groupBy(intervals, ({ start }) => start);
  const rows = starts.map((start) => {
    const row: Record<string, string | number> = { label: labelOf(start) };
    for (const name of names) row[name] = 0;
    for (const entry of byStart.get(start) ?? []) {
      const name = shown.includes(entry[by]) ? entry[by] : others;
      row[name] = Number(row[name] ?? 0) + nearestMicros(entry.cost);
    }
    return row;
  });
  return { rows, names };
}
