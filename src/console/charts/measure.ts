import {
  formatBytes,
  formatCompact,
  formatDuration,
  formatNumber,
  formatPercent,
} from "../parts/text/format.ts";
import { creditsText, usdMarkText, usdText } from "../parts/text/money.ts";

/** What a chart shows: how a value is written, and which marks its axis may have. */
export interface ChartMeasure {
  /** A value with all its digits. */
  text: (value: number) => string;
  /** A mark of an axis whose marks are `step` apart; by default like a value. */
  mark?: (value: number, step: number) => string;
  /** Steps between marks that read well, ascending. */
  steps: readonly number[];
}

/** 1, 2 and 5 times the powers of ten. */
const decimal = (least: number, most: number): number[] => {
  const steps: number[] = [];
  for (let power = least; power <= most; power++)
    for (const part of [1, 2, 5]) steps.push(part * 10 ** power);
  return steps;
};

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

const powersOf1024 = [1, 1024, 1024 ** 2, 1024 ** 3, 1024 ** 4];

export const measures = {
  count: { text: formatNumber, steps: decimal(0, 14) },
  /** Counts that may be large: 12,345 as 12.3k. */
  compact: { text: formatCompact, steps: decimal(0, 14) },
  /** Values are micros of US dollars. */
  usd: { text: usdText, mark: usdMarkText, steps: decimal(0, 14) },
  /** Values are micros of credits. */
  credits: { text: creditsText, steps: decimal(0, 14) },
  /** Values are milliseconds. */
  duration: {
    text: formatDuration,
    steps: [
      ...decimal(-1, 3),
      ...[10, 20, 30].map((seconds) => seconds * secondMs),
      ...[1, 2, 5, 10, 20, 30].map((minutes) => minutes * minuteMs),
      ...decimal(0, 5).map((hours) => hours * hourMs),
    ],
  },
  bytes: {
    text: formatBytes,
    steps: powersOf1024.flatMap((unit) => [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((part) => part * unit)),
  },
  share: { text: formatPercent, steps: decimal(-3, 1) },
} satisfies Record<string, ChartMeasure>;

const stepsMost = 5;

/** Returns the marks of an axis from 0 to the first one at `top` or above: at most six, all different as they are written; only 0 if there is nothing to show. */
export function axisMarks(top: number, { steps }: ChartMeasure): { marks: number[]; step: number } {
  if (top <= 0) return { marks: [0], step: steps.at(-1) ?? 1 };
  const step = steps.find((each) => each * stepsMost >= top) ?? top / stepsMost;
  const count = Math.ceil(top / step - 1e-9);
  // Products of whole numbers stay exact where sums of fractions would not.
  const marks = Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
  return { marks, step };
}
