import { AreaChart, BarChart, LineChart } from "@mantine/charts";
import { axisMarks, type ChartMeasure, measures } from "./measure.ts";

export interface TimeChartViewProps {
  /** One row per moment: `label` is on the axis, and there is a number per series. A line has a gap where it is null. */
  data: Record<string, string | number | null>[];
  series: { name: string; label: string; color: string }[];
  kind?: "area" | "bar" | "line";
  height?: number;
  /** What the values are; a count by default. */
  measure?: ChartMeasure;
  /** Called with the number of a row, and with the series if a bar was pressed. Offer the same by keyboard elsewhere. */
  onPoint?: (row: number, series?: string) => void;
  /** Lines across the rows with these labels. Not for bars. */
  marks?: { label: string; text: string }[];
  /** Top of the axis; by default it follows from the values. */
  max?: number;
}

export default function TimeChartView({
  data,
  series,
  kind = "bar",
  height = 220,
  measure = measures.count,
  onPoint,
  max,
  marks = [],
}: TimeChartViewProps) {
  const { marks: ticks, step } = axisMarks(max ?? topOf(data, kind === "bar"), measure);
  const markText = (value: number) => measure.mark?.(value, step) ?? measure.text(value);
  const shared = {
    h: height,
    data,
    dataKey: "label",
    series,
    tickLine: "none" as const,
    gridAxis: "x" as const,
    xAxisProps: { minTickGap: 24 },
    yAxisProps: {
      ticks,
      domain: [0, ticks.at(-1) || 1],
      tickFormatter: markText,
      // Letters of 7 pixels.
      width: Math.min(96, Math.max(44, 16 + 7 * Math.max(...ticks.map((mark) => markText(mark).length)))),
    },
    // The library's own accessibility layer would let the drawing take the focus, without any text.
    accessibilityLayer: false,
    valueFormatter: measure.text,
  };
  const isLeft = (label: string) => data.findIndex((row) => row.label === label) < data.length / 2;
  const lines = marks.map(({ label, text }) => ({
    x: label,
    label: text,
    color: "gray.6",
    // Beside the line, on the side that has room.
    labelPosition: isLeft(label) ? ("insideTopLeft" as const) : ("insideTopRight" as const),
  }));
  const onChart = onPoint && {
    onClick: ({ activeTooltipIndex }: { activeTooltipIndex?: number | string | null | undefined }) => {
      if (activeTooltipIndex !== undefined && activeTooltipIndex !== null)
        onPoint(Number(activeTooltipIndex));
    },
  };
  return (
    <div {...(onPoint === undefined ? {} : { className: "ar-chart-points" })}>
      {kind === "bar" ? (
        <BarChart
          {...shared}
          type="stacked"
          maxBarWidth={28}
          {...(onPoint === undefined
            ? {}
            : {
                barProps: ({ name }: { name: string }) => ({
                  onClick: (_bar: unknown, row: number) => onPoint(row, name),
                }),
              })}
        />
      ) : kind === "line" ? (
        <LineChart
          {...shared}
          curveType="monotone"
          connectNulls={false}
          referenceLines={lines}
          dotProps={{ r: 2.5 }}
          {...(onChart === undefined ? {} : { lineChartProps: onChart })}
        />
      ) : (
        <AreaChart {...shared} curveType="monotone" withDots={false} referenceLines={lines} />
      )}
      {series.length > 1 && <Legend series={series} />}
    </div>
  );
}

/** The names of the series, below the drawing, on as many lines as they need: the library's own legend is cut off. */
function Legend({ series }: Pick<TimeChartViewProps, "series">) {
  return (
    <ul className="ar-legend">
      {series.map(({ name, label, color }) => (
        <li key={name}>
          <i style={{ background: `var(--mantine-color-${color.replace(".", "-")})` }} />
          {label}
        </li>
      ))}
    </ul>
  );
}

/** The largest value that is drawn: of bars, which are stacked, the largest sum. */
function topOf(data: TimeChartViewProps["data"], isStacked: boolean): number {
  const tops = data.map((row) => {
    const values = Object.values(row).filter((value) => typeof value === "number");
    return isStacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(0, ...values);
  });
  return Math.max(0, ...tops);
}
