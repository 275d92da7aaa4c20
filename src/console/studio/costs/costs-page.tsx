import { SegmentedControl } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useUrlFields } from "../../parts/address/use-url-state.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { ownTimeZone } from "../../parts/text/own-time-zone.ts";
import { SourceSelect, sourceFilterOf } from "../../quality/source-select.tsx";
import { costTexts as texts } from "../../texts/studio/monitoring.ts";
import { useDaemon } from "../use-daemon.ts";
import { Budgets } from "./budgets.tsx";
import { CostChart } from "./cost-chart.tsx";
import { CostSummaryView } from "./cost-summary-view.tsx";
import { LatestCalls } from "./latest-calls.tsx";

const dayMs = 86_400_000;

export default function CostsPage() {
  const daemon = useDaemon();
  const [{ days, source: chosen }, write] = useUrlFields(["days", "source"] as const);
  const range = days in texts.ranges ? days : "7";
  const source = sourceFilterOf(chosen, "traffic");
  const read = () => ({ source, since: new Date(Date.now() - Number(range) * dayMs).toISOString() });
  const summary = useQuery({
    queryKey: ["daemon", "costs", "summary", range, source],
    queryFn: () => daemon.costSummary(read()),
  });
  const history = useQuery({
    queryKey: ["daemon", "costs", "history", range, source],
    queryFn: () =>
      daemon.costHistory({ ...read(), ...ownTimeZone(), interval: range === "1" ? "hour" : "day" }),
  });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <SegmentedControl
          size="xs"
          aria-label={texts.range}
          value={range}
          data={Object.entries(texts.ranges).map(([value, label]) => ({ value, label }))}
          onChange={(days) => write({ days })}
        />
        <SourceSelect value={chosen} usual="traffic" change={(source) => write({ source })} />
      </PageHeader>
      <div className="ar-stack">
        <Loaded query={history}>{(data) => <CostChart history={data} />}</Loaded>
        <Loaded query={summary}>{(data) => <CostSummaryView summary={data} />}</Loaded>
        <Budgets />
        <LatestCalls />
      </div>
    </>
  );
}
