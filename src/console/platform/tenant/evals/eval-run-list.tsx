import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { PlatformEvalRun } from "../../../../contracts/platform/evals.ts";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { formatCredits, formatNumber } from "../../../parts/text/format.ts";
import { Instant } from "../../../parts/text/instant.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { tenantEvalTexts as texts } from "../../../texts/platform/tenant-evals.ts";
import { usePlatform } from "../../use-platform.ts";
import { tenantPaths } from "../tenant-paths.ts";
import { askedVersion, evalRunTones, tenantEvalKeys } from "./tenant-eval-keys.ts";

/** A tenant's runs of evals, newest first; scrolling loads more. */
export function EvalRunList({ tenantId }: { tenantId: string }) {
  const platform = usePlatform(tenantId);
  return (
    <CursorTable
      label={texts.runs}
      columns={columnsFor(tenantPaths(tenantId).evalRun)}
      queryKey={tenantEvalKeys(tenantId).runs}
      read={(page) => platform.listEvalRuns(page)}
      rowsOf={({ runs }) => runs}
      keyOf={({ id }) => id}
      empty={<EmptyState text={texts.noRuns} />}
    />
  );
}

const columnsFor = (pathOf: (id: string) => string): Column<PlatformEvalRun>[] => [
  {
    id: "eval",
    header: texts.name,
    width: "minmax(90px, 1fr)",
    cell: ({ id, eval: name }) => (
      <Anchor component={Link} href={pathOf(id)} className="ar-mono">
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
  { id: "version", header: texts.version, width: "minmax(110px, 1fr)", from: "md", cell: askedVersion },
  {
    id: "credits",
    header: texts.credits,
    width: "84px",
    align: "end",
    from: "lg",
    cell: ({ credits_charged_micros: micros }) => formatCredits(micros),
  },
  {
    id: "created",
    header: texts.createdAt,
    width: "minmax(88px, 0.8fr)",
    from: "sm",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
];
