import { AreaChart, BarChart, LineChart } from "@mantine/charts";

export interface TimeChartViewProps {
  /** One row per moment: `label` is on the axis, and there is a number per series. A line has a gap where it is null. */
  data: Record<string, string | number | null>[];
  series: { name: string; label: string; color: string }[];
  kind?: "area" | "bar" | "line";
  height?: number;
  format?: (value: number) => string;
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
  format,
  onPoint,
  max,
  marks = [],
}: TimeChartViewProps) {
  const shared = {
    h: height,
    data,
    dataKey: "label",
    series,
    tickLine: "none" as const,
    gridAxis: "x" as const,
    xAxisProps: { minTickGap: 24 },
    // Counts have only whole ticks.
    yAxisProps: {
      allowDecimals: max !== undefined || !isWhole(data),
      width: axisWidth(data, format),
      ...(max === undefined ? {} : { domain: [0, max] }),
    },
    // The library's own accessibility layer would let the drawing take the focus, without any text.
    accessibilityLayer: false,
    ...(format === undefined ? {} : { valueFormatter: format }),
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

/** Pixels for the labels of the axis: the longest value that is drawn, in letters of 7 pixels. */
function axisWidth(data: TimeChartViewProps["data"], format: (value: number) => string = String): number {
  const sums = data.map((row) =>
    Object.values(row).reduce<number>((sum, value) => sum + (typeof value === "number" ? value : 0), 0),
  );
  const most = Math.max(0, ...sums);
  // Ticks are round: no more digits than these.
  const tick = isWhole(data) ? Math.ceil : (value: number) => Number(value.toPrecision(3));
  const longest = Math.max(...[most, most * 0.75, most / 3].map((value) => format(tick(value)).length));
  return Math.min(96, Math.max(44, 16 + 7 * longest));
}

const isWhole = (data: TimeChartViewProps["data"]): boolean =>
  data.every((row) =>
    Object.values(row).every((value) => typeof value !== "number" || Number.isInteger(value)),
  );
