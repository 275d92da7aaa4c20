import { useLocation } from "wouter";
import { nearestMicros } from "../../../contracts/amounts.ts";
import type { SourceFilter } from "../../../contracts/daemon/runs/run-sources.ts";
import type { RunFigures, RunGrouping, RunStats } from "../../../contracts/daemon/runs/run-stats.ts";
import { type ChartMeasure, measures } from "../../charts/measure.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { Figures } from "../../parts/layout/figures.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { formatCompact, formatDuration, formatNumber, formatPercent } from "../../parts/text/format.ts";
import { costOfUsd, figureCost } from "../../parts/text/money.ts";
import { dashboardTexts as texts } from "../../texts/studio/dashboard.ts";
import { bucketEnd, type ChartSeries, groupSeries, rowsOf } from "./chart-rows.ts";
import { runsBehind } from "./runs-behind.ts";
import { useGroupLabel } from "./use-group-label.ts";

interface ChartKind {
  title: string;
  grouped?: string;
  kind: "bar" | "line";
  measure: ChartMeasure;
  series: ChartSeries[];
  valuesOf: (figures: RunFigures) => Record<string, number | null>;
  groupValue: (figures: RunFigures) => number | null;
}

const tokensOf = (figures: RunFigures) => figures.input_tokens + figures.output_tokens;

const charts: readonly ChartKind[] = [
  {
    title: texts.runs,
    kind: "bar",
    measure: measures.count,
    series: [
      { name: "succeeded", label: texts.succeeded, color: "sea.6" },
      { name: "errors", label: texts.errors, color: "red.6" },
    ],
    valuesOf: ({ runs, errors }) => ({ succeeded: runs - errors, errors }),
    groupValue: ({ runs }) => runs,
  },
  {
    title: texts.latency,
    grouped: texts.p95By,
    kind: "line",
    measure: measures.duration,
    series: [
      { name: "p50", label: texts.p50, color: "sea.6" },
      { name: "p95", label: texts.p95, color: "brass.5" },
    ],
    valuesOf: ({ p50_ms: p50 = null, p95_ms: p95 = null }) => ({ p50, p95 }),
    groupValue: ({ p95_ms: p95 = null }) => p95,
  },
  {
    title: texts.tokens,
    kind: "bar",
    measure: measures.compact,
    series: [
      { name: "input", label: texts.input, color: "sea.6" },
      { name: "output", label: texts.output, color: "brass.5" },
    ],
    valuesOf: ({ input_tokens: input, output_tokens: output }) => ({ input, output }),
    groupValue: tokensOf,
  },
  {
    title: texts.cost,
    kind: "bar",
    measure: measures.usd,
    series: [{ name: "cost", label: texts.cost, color: "sea.6" }],
    valuesOf: ({ cost_usd: cost }) => ({ cost: nearestMicros(cost) }),
    groupValue: ({ cost_usd: cost }) => nearestMicros(cost),
  },
];

export interface ChartedRuns {
  stats: RunStats;
  by: RunGrouping | undefined;
  /** The sources that are counted. */
  source: SourceFilter;
}

/** The figures of the range, and a chart of each. A press on a point opens its runs; the table of periods has the same links. */
export function RunCharts({ stats, by, source }: ChartedRuns) {
  const [, navigate] = useLocation();
  const groupLabel = useGroupLabel(stats, by);
  const { total, groups } = stats;
  const open = (row: number, series?: string) => {
    const start = stats.buckets[row]?.start;
    if (start === undefined) return;
    const group = series === undefined ? undefined : groups?.[Number(series.replace("group", ""))];
    const period = { since: start, until: bucketEnd(stats, start) };
    navigate(runsBehind(period, { by, source }, group, series === "errors" ? "ERROR" : ""));
  };
  return (
    <>
      <Figures
        figures={[
          { label: texts.runs, value: formatNumber(total.runs) },
          {
            label: texts.errors,
            value: formatNumber(total.errors),
            note: texts.errorRate(formatPercent(total.errors / total.runs)),
          },
          { label: texts.p50, value: durationText(total.p50_ms), note: texts.latencyNote },
          { label: texts.p95, value: durationText(total.p95_ms), note: texts.latencyNote },
          {
            label: texts.tokens,
            value: formatCompact(tokensOf(total)),
            note: texts.tokensNote(formatCompact(total.input_tokens), formatCompact(total.output_tokens)),
          },
          {
            label: texts.cost,
            value: figureCost(costOfUsd(total.cost_usd, total.unpriced_calls)),
            note: total.unpriced_calls === 0 ? undefined : texts.unpricedNote(total.unpriced_calls),
          },
        ]}
      />
      <div className="ar-columns">
        {charts.map(({ title, grouped = title, kind, measure, series, valuesOf, groupValue }) => {
          const shown = groups === undefined ? title : grouped;
          return (
            <Panel key={title} title={shown}>
              <TimeChart
                label={shown}
                kind={kind}
                data={rowsOf(stats, valuesOf, groupValue)}
                series={groups === undefined ? series : groupSeries(groups, groupLabel)}
                measure={measure}
                onPoint={open}
              />
            </Panel>
          );
        })}
      </div>
    </>
  );
}

const durationText = (ms: number | undefined): string => (ms === undefined ? "–" : formatDuration(ms));
