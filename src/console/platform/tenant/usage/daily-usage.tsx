import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { DailyUsage as Report } from "../../../../contracts/platform/observability.ts";
import { measures } from "../../../charts/measure.ts";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { SideScroll } from "../../../parts/layout/side-scroll.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatShortDay } from "../../../parts/text/format.ts";
import { usageTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { usePlatform } from "../../use-platform.ts";
import { type DailyMeasure, type DayRow, dailyMeasures, dailySeries, type Split } from "./daily-series.ts";

const colors = ["sea.6", "brass.5", "gray.6", "sea.3", "brass.2", "gray.4"];

/** Usage of a month by day, as a chart and as a table: by agent, or tokens by model. */
export function DailyUsage({ tenantId, period }: { tenantId: string; period: string }) {
  const platform = usePlatform(tenantId);
  const [splitText, setSplit] = useUrlState("by");
  const [measureText, setMeasure] = useUrlState("of");
  const split: Split = splitText === "model" ? "model" : "agent";
  const asked = dailyMeasures.find((one) => one === measureText) ?? "runs";
  const measure: DailyMeasure = split === "model" ? "tokens" : asked;
  const query = useQuery({
    queryKey: ["platform", tenantId, "usage", "days", period],
    queryFn: () => platform.dailyUsage(period),
  });
  return (
    <Panel
      title={texts.byDay}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={texts.split}
            value={split}
            data={(["agent", "model"] as const).map((value) => ({ value, label: texts.splits[value] }))}
            onChange={(value) => setSplit(value === "agent" ? "" : value)}
          />
          <SegmentedControl
            size="xs"
            aria-label={texts.chartOf}
            value={measure}
            data={dailyMeasures.map((value) => ({
              value,
              label: texts.measures[value],
              disabled: split === "model" && value !== "tokens",
            }))}
            onChange={(value) => setMeasure(value === "runs" ? "" : value)}
          />
        </>
      }
    >
      <Loaded query={query} rows={4}>
        {(report) => <DayChart report={report} measure={measure} split={split} />}
      </Loaded>
    </Panel>
  );
}

function DayChart({ report, measure, split }: { report: Report; measure: DailyMeasure; split: Split }) {
  const until = new Date().toISOString().slice(0, 10);
  const { rows, names } = dailySeries(report, { measure, split, until, others: texts.others });
  const shown = measure === "credits" ? measures.credits : measures.count;
  return (
    <>
      <TimeChart
        label={`${texts.measures[measure]}, ${texts.byDay}`}
        data={rows.map(({ day, values }) => ({
          label: formatShortDay(day),
          ...Object.fromEntries(names.map((name, at) => [`s${at}`, values.get(name) ?? 0])),
        }))}
        series={names.map((name, at) => ({
          name: `s${at}`,
          label: name,
          color: colors[at % colors.length] ?? "sea.6",
        }))}
        measure={shown}
      />
      <details>
        <summary>{texts.asTable}</summary>
        <SideScroll>
          <PlainTable
            label={texts.byDay}
            columns={[
              { id: "day", header: texts.day, cell: ({ day }) => day },
              ...names.map((name, at) => ({
                id: `s${at}`,
                header: name,
                align: "decimal" as const,
                cell: ({ values }: DayRow) => shown.text(values.get(name) ?? 0),
              })),
              { id: "total", header: texts.total, align: "decimal", cell: ({ total }) => shown.text(total) },
            ]}
            rows={rows.filter(({ total }) => total > 0)}
            keyOf={({ day }) => day}
          />
        </SideScroll>
      </details>
    </>
  );
}
