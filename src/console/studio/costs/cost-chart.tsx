import { SegmentedControl } from "@mantine/core";
import type { CostHistory } from "../../../contracts/daemon/models/costs.ts";
import { measures } from "../../charts/measure.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { locale } from "../../parts/text/locale.ts";
import { costTexts as texts } from "../../texts/studio/monitoring.ts";
import { costSeries } from "./cost-series.ts";

const colors = ["sea.6", "brass.5", "gray.6", "sea.3", "brass.2", "gray.4"];

/** Cost by day or hour; the tables below have the same numbers. */
export function CostChart({ history }: { history: CostHistory }) {
  const [chosen, choose] = useUrlState("by");
  const by = chosen === "agent" ? "agent" : "model";
  const { rows, names } = costSeries(history, by, labelOf(history.interval), texts.others);
  const isFree = history.intervals.every(({ cost }) => cost === 0);
  const isPriced = history.intervals.every(({ unpriced_calls: calls }) => calls === 0);
  const freeText = isPriced ? texts.free : texts.unpricedCalls;
  return (
    <Panel
      title={texts.overTime}
      actions={
        <SegmentedControl
          size="xs"
          aria-label={texts.by}
          value={by}
          data={[
            { value: "model", label: texts.byModel },
            { value: "agent", label: texts.byAgent },
          ]}
          onChange={(value) => choose(value === "model" ? "" : value)}
        />
      }
    >
      {rows.length === 0 || isFree ? (
        <EmptyState text={rows.length === 0 ? texts.noCalls : freeText} />
      ) : (
        <TimeChart
          label={texts.overTime}
          data={rows}
          series={names.map((name, at) => ({
            name,
            label: name,
            color: colors[at % colors.length] ?? "sea.6",
          }))}
          measure={measures.usd}
        />
      )}
    </Panel>
  );
}

function labelOf(interval: CostHistory["interval"]): (start: string) => string {
  const form = {
    hour: { hour: "2-digit", minute: "2-digit" },
    day: { day: "numeric", month: "short" },
  } as const;
  const format = new Intl.DateTimeFormat(locale, form[interval]);
  return (start) => format.format(new Date(start));
}
