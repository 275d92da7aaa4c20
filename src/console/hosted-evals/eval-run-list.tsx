import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { HostedEvalRun } from "../../contracts/evals/hosted-evals.ts";
import { EmptyState } from "../parts/states/empty-state.tsx";
import { CursorTable } from "../parts/tables/cursor-table.tsx";
import type { Column } from "../parts/tables/data-table.tsx";
import { formatNumber } from "../parts/text/format.ts";
import { Instant } from "../parts/text/instant.tsx";
import { StatusBadge } from "../parts/text/status-badge.tsx";
import { hostedEvalTexts as texts } from "../texts/hosted-evals.ts";
import { type EvalHost, evalRunTones } from "./eval-host.ts";

/** The runs of evals, newest first; scrolling loads more. */
export function EvalRunList<Run extends HostedEvalRun>({ host }: { host: EvalHost<Run> }) {
  return (
    <CursorTable
      label={texts.runs}
      columns={columnsFor(host)}
      queryKey={host.keys.runs}
      read={(page) => host.calls.listEvalRuns(page)}
      rowsOf={({ runs }) => runs}
      keyOf={({ id }) => id}
      empty={<EmptyState text={texts.noRuns} />}
    />
  );
}

const columnsFor = <Run extends HostedEvalRun>({ paths, versionOf, spent }: EvalHost<Run>): Column<Run>[] => [
  {
    id: "eval",
    header: texts.name,
    width: "minmax(90px, 1fr)",
    cell: ({ id, eval: name }) => (
      <Anchor component={Link} href={paths.run(id)} className="ar-mono">
        {name}
      </Anchor>
    ),
  },
  {
    id: "status",
    header: texts.statusHead,
    width: "minmax(100px, 1fr)",
    cell: ({ status }) => <StatusBadge tone={evalRunTones[status]}>{texts.statuses[status]}</StatusBadge>,
  },
  {
    id: "passed",
    header: texts.passedHead,
    width: "90px",
    align: "end",
    cell: ({ passed, planned }) => texts.passedOf(formatNumber(passed), formatNumber(planned)),
  },
  {
    id: "agent",
    header: texts.agent,
    width: "minmax(90px, 1fr)",
    from: "md",
    cell: ({ agent }) => <span className="ar-mono">{agent}</span>,
  },
  { id: "version", header: texts.version, width: "minmax(110px, 1fr)", from: "md", cell: versionOf },
  {
    id: "spent",
    header: spent.label,
    width: "84px",
    align: "end",
    from: "lg",
    cell: spent.of,
  },
  {
    id: "created",
    header: texts.createdAt,
    width: "minmax(88px, 0.8fr)",
    from: "sm",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
];
