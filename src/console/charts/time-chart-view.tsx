import { AreaChart, BarChart } from "@mantine/charts";

export interface TimeChartViewProps {
  /** A row per moment: `label` under the axis, and a number per series. */
  data: Record<string, string | number>[];
  series: { name: string; label: string; color: string }[];
  kind?: "area" | "bar";
  height?: number;
  format?: (value: number) => string;
}

export default function TimeChartView({
  data,
  series,
  kind = "bar",
  height = 220,
  format,
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
    // What is counted whole is marked whole.
    yAxisProps: { allowDecimals: !isWhole(data) },
    // Of the library: else the drawing itself takes the focus, and says nothing.
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
