import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ListedTrace } from "../../../contracts/daemon/runs/traces.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatCompact, formatDuration } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { traceCost } from "../../parts/text/money.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { homeTexts as texts } from "../../texts/studio/home.ts";
import { useDaemon } from "../use-daemon.ts";

const columns: readonly PlainColumn<ListedTrace>[] = [
  {
    id: "run",
    header: texts.run,
    cell: ({ trace_id, agent, status, start_time }) => (
      <span className="ar-home-run">
        <Anchor component={Link} href={`/studio/traces/${encodeURIComponent(trace_id)}`}>
          {agent}
        </Anchor>
        <span className="ar-soft">
          <Instant iso={start_time} />
        </span>
        {status === "ERROR" && <StatusBadge tone="bad">{texts.failedRun}</StatusBadge>}
      </span>
    ),
  },
  {
    id: "duration",
    header: texts.duration,
    align: "end",
    cell: ({ duration_ms }) => formatDuration(duration_ms),
  },
  {
    id: "tokens",
    header: texts.runTokens,
    align: "end",
    from: "sm",
    cell: ({ summary }) => formatCompact(summary.total_tokens),
  },
  {
    id: "cost",
    header: texts.cost,
    align: "decimal",
    from: "sm",
    cell: ({ summary }) => traceCost(summary),
  },
];

/** The newest runs, of all agents or of one, each with a link to its trace. */
export function LatestRuns({ agent }: { agent?: string }) {
  const query = useLatestRuns(agent);
  const all = agent === undefined ? "/studio/traces" : `/studio/traces?agent=${encodeURIComponent(agent)}`;
  const link = (
    <Anchor component={Link} href={all} size="sm">
      {texts.allTraces}
    </Anchor>
  );
  const isEmpty = query.data?.traces.length === 0;
  return (
    <Panel title={texts.latest} actions={link} flush={query.data !== undefined && !isEmpty}>
      <Loaded query={query} rows={4}>
        {({ traces }) => (
          <PlainTable
            label={texts.latest}
            columns={columns}
            rows={traces}
            keyOf={({ trace_id }) => trace_id}
            empty={<span className="ar-soft">{texts.noRuns}</span>}
          />
        )}
      </Loaded>
    </Panel>
  );
}

const shown = 8;

/** The newest runs, of all agents or of one. */
export function useLatestRuns(agent?: string) {
  const daemon = useDaemon();
  return useQuery({
    queryKey: ["daemon", "traces", "latest", agent],
    queryFn: () =>
      daemon.listTraces({ limit: shown, spans: false, ...(agent === undefined ? {} : { agent }) }),
  });
}
