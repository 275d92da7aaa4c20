import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { EvalOverview } from "../../../contracts/daemon/evals/evals.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../parts/tables/data-table.tsx";
import { formatNumber, formatPercent } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { evalKeys, evalPath, evalRunPath } from "./eval-keys.ts";
import { NewEvalDialog } from "./new-eval-dialog.tsx";
import { Trend } from "./trend.tsx";

const columns: readonly Column<EvalOverview>[] = [
  {
    id: "name",
    header: texts.name,
    width: "minmax(110px, 1.6fr)",
    cell: ({ name }) => (
      <Anchor component={Link} href={evalPath(name)}>
        {name}
      </Anchor>
    ),
  },
  {
    id: "agent",
    header: texts.agent,
    width: "minmax(84px, 1fr)",
    from: "sm",
    cell: ({ agent, faults }) =>
      faults.length > 0 ? <StatusBadge tone="bad">{texts.faulty}</StatusBadge> : (agent ?? ""),
  },
  {
    id: "cases",
    header: texts.cases,
    width: "70px",
    align: "end",
    from: "sm",
    cell: ({ cases }) => formatNumber(cases),
  },
  {
    id: "score",
    header: texts.score,
    width: "96px",
    align: "end",
    cell: ({ runs: [last] }) =>
      last === undefined || last.pass_rate === null ? "–" : formatPercent(last.pass_rate),
  },
  { id: "trend", header: texts.trend, width: "110px", from: "md", cell: ({ runs }) => <Trend runs={runs} /> },
  {
    id: "last",
    header: texts.lastRun,
    width: "118px",
    align: "end",
    cell: ({ runs: [last] }) =>
      last === undefined ? (
        <span className="ar-soft">{texts.never}</span>
      ) : (
        <Anchor component={Link} href={evalRunPath(last.id)}>
          <Instant iso={last.started_at} />
        </Anchor>
      ),
  },
];

export default function EvalsPage() {
  const daemon = useDaemon();
  const [isCreating, create] = useState(false);
  const query = useQuery({ queryKey: evalKeys.list, queryFn: daemon.listEvals });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button disabled={query.data === undefined} onClick={() => create(true)}>
          {texts.create}
        </Button>
      </PageHeader>
      <Loaded query={query} rows={8}>
        {({ evals }) => (
          <DataTable
            label={texts.title}
            columns={columns}
            rows={evals}
            keyOf={({ file }) => file}
            empty={<EmptyState text={texts.none} />}
          />
        )}
      </Loaded>
      {isCreating && <NewEvalDialog agents={query.data?.agents ?? []} close={() => create(false)} />}
    </>
  );
}
