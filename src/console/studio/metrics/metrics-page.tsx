import { Button, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { MetricsSnapshot } from "../../../contracts/daemon/metrics.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { metricTexts as texts } from "../../texts/studio/monitoring.ts";
import { useDaemon } from "../use-daemon.ts";

export default function MetricsPage() {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const query = useQuery({ queryKey: ["daemon", "metrics"], queryFn: daemon.metrics });
  const earlier = useEarlier(query.data);
  const [filter, setFilter] = useUrlState("filter");
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
        <Button variant="default" onClick={() => setAsking(true)}>
          {texts.reset}
        </Button>
      </PageHeader>
      <TextInput
        mb="md"
        maw={320}
        label={texts.filter}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <Loaded query={query}>
        {({ counters, histograms }) => (
          <div className="ar-stack">
            <Counters counters={matching(counters, filter)} earlier={earlier?.counters ?? {}} />
            <Histograms histograms={matching(histograms, filter)} />
          </div>
        )}
      </Loaded>
      <Confirm
        title={texts.resetTitle}
        text={texts.resetText}
        action={texts.resetAction}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await daemon.resetMetrics();
          await queries.invalidateQueries({ queryKey: ["daemon", "metrics"] });
          notify(texts.resetDone);
        }}
      />
    </>
  );
}

/** Returns the reading before the newest one. */
function useEarlier(now: MetricsSnapshot | undefined): MetricsSnapshot | undefined {
  const shown = useRef(now);
  const [earlier, setEarlier] = useState<MetricsSnapshot>();
  useEffect(() => {
    if (now === shown.current) return;
    setEarlier(shown.current);
    shown.current = now;
  }, [now]);
  return earlier;
}

const matching = <Value,>(values: Record<string, Value>, filter: string): [string, Value][] =>
  Object.entries(values)
    .filter(([name]) => name.toLowerCase().includes(filter.toLowerCase()))
    .sort(([a], [b]) => a.localeCompare(b));

function Counters({ counters, earlier }: { counters: [string, number][]; earlier: Record<string, number> }) {
  return (
    <Panel title={texts.counters} flush>
      {counters.length === 0 ? (
        <div className="ar-panel-body">
          <EmptyState text={texts.none} />
        </div>
      ) : (
        <PlainTable
          label={texts.counters}
          columns={[
            { id: "name", header: texts.name, className: "ar-mono ar-break", cell: ([name]) => name },
            { id: "value", header: texts.value, align: "end", cell: ([, value]) => formatNumber(value) },
            {
              id: "since",
              header: texts.since,
              align: "end",
              className: "ar-soft",
              cell: ([name, value]) => rangeStart(value, earlier[name]),
            },
          ]}
          rows={counters}
          keyOf={([name]) => name}
        />
      )}
    </Panel>
  );
}

const rangeStart = (value: number, earlier: number | undefined): string =>
  earlier === undefined || value <= earlier ? "–" : `+${formatNumber(value - earlier)}`;

type NamedHistogram = [name: string, histogram: MetricsSnapshot["histograms"][string]];

const histogramColumns: readonly PlainColumn<NamedHistogram>[] = [
  { id: "name", header: texts.name, className: "ar-mono ar-break", cell: ([name]) => name },
  { id: "count", header: texts.count, align: "end", cell: ([, { count }]) => formatNumber(count) },
  { id: "mean", header: texts.mean, align: "end", from: "sm", cell: ([, { avg }]) => formatNumber(avg) },
  { id: "min", header: texts.min, align: "end", from: "sm", cell: ([, { min }]) => formatNumber(min) },
  { id: "max", header: texts.max, align: "end", cell: ([, { max }]) => formatNumber(max) },
];

function Histograms({ histograms }: { histograms: NamedHistogram[] }) {
  if (histograms.length === 0) return null;
  return (
    <Panel title={texts.histograms} flush>
      <PlainTable
        label={texts.histograms}
        columns={histogramColumns}
        rows={histograms}
        keyOf={([name]) => name}
      />
    </Panel>
  );
}
