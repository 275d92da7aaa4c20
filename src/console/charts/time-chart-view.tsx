import { AreaChart, BarChart } from "@mantine/charts";

export interface TimeChartViewProps {
  /** One row per moment: `label` is on the axis, and there is a number per series. */
  data: Record<string, string | number>[];
  series: { name: string; label: string; color: string }[];
  kind?: "area" | "bar";
  height?: number;
  format?: (value: number) => string;
  /** Top of the axis; by default it follows from the values. */
  max?: number;
}

export default function TimeChartView({
  data,
  series,
  kind = "bar",
  height = 220,
  format,
  max,
}: TimeChartViewProps) {
  const shared = {
    h: height,
    data,
    dataKey: "label",
    series,
    withLegend: series.length > 1,
    tickLine: "none" as const,
    gridAxis: "x" as const,
    xAxisProps: { minTickGap: 24 },
    // Counts have only whole ticks.
    yAxisProps: {
      allowDecimals: max !== undefined || !isWhole(data),
      ...(max === undefined ? {} : { domain: [0, max] }),
    },
    // The library's own accessibility layer would let the drawing take the focus, without any text.
    accessibilityLayer: false,
    ...(format === undefined ? {} : { valueFormatter: format }),
  };
  return kind === "bar" ? (
    <BarChart {...shared} type="stacked" maxBarWidth={28} />
  ) : (
    <AreaChart {...shared} curveType="monotone" withDots={false} />
  );
}

const isWhole = (data: TimeChartViewProps["data"]): boolean =>
  data.every((row) =>
    Object.values(row).every((value) => typeof value === "string" || Number.isInteger(value)),
  );
