import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { RunFigures, RunGroup } from "../../../contracts/daemon/runs/run-stats.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { type Column, DataTable } from "../../parts/tables/data-table.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatDuration, formatNumber } from "../../parts/text/format.ts";
import { locale } from "../../parts/text/locale.ts";
import { costOfUsd, rowCost } from "../../parts/text/money.ts";
import { dashboardTexts as texts } from "../../texts/studio/dashboard.ts";
import { bucketEnd, type Period, periodsOf } from "./chart-rows.ts";
import type { ChartedRuns } from "./run-charts.tsx";
import { runsBehind } from "./runs-behind.ts";
import { useGroupLabel } from "./use-group-label.ts";

/** Columns of the figures; `hrefOf` is the address of the runs behind a row. */
const figureColumns = <Row,>(
  figuresOf: (row: Row) => RunFigures,
  hrefOf: (row: Row, status: "" | "ERROR") => string | undefined,
): Column<Row>[] => [
  {
    id: "runs",
    header: texts.runs,
    width: "52px",
    align: "end",
    cell: (row) => formatNumber(figuresOf(row).runs),
  },
  {
    id: "errors",
    header: texts.errors,
    width: "54px",
    align: "end",
    cell: (row) =>
      figuresOf(row).errors === 0 ? (
        "0"
      ) : (
        <RunsLink href={hrefOf(row, "ERROR")}>{formatNumber(figuresOf(row).errors)}</RunsLink>
      ),
  },
  {
    id: "p50",
    header: texts.p50,
    width: "110px",
    align: "end",
    from: "md",
    cell: (row) => formatDuration(figuresOf(row).p50_ms ?? 0),
  },
  {
    id: "p95",
    header: texts.p95,
    width: "120px",
    align: "end",
    from: "sm",
    cell: (row) => formatDuration(figuresOf(row).p95_ms ?? 0),
  },
  {
    id: "tokens",
    header: texts.tokens,
    width: "90px",
    align: "end",
    from: "md",
    cell: (row) => formatNumber(figuresOf(row).input_tokens + figuresOf(row).output_tokens),
  },
  {
    id: "cost",
    header: texts.cost,
    width: "minmax(96px, max-content)",
    align: "decimal",
    from: "sm",
    cell: (row) => rowCost(costOfUsd(figuresOf(row).cost_usd, figuresOf(row).unpriced_calls)),
  },
];

/** A link to runs; plain text without an address. */
function RunsLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  if (href === undefined) return children;
  return (
    <Anchor component={Link} href={href}>
      {children}
    </Anchor>
  );
}

const startFormat = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const startText = (iso: string): string => startFormat.format(new Date(iso));

/** The numbers of the charts with links to their runs: by group, and by period. */
export function RunTables({ stats, by, source }: ChartedRuns) {
  const groupLabel = useGroupLabel(stats, by);
  const periodOf = ({ bucket }: Period) => ({ since: bucket.start, until: bucketEnd(stats, bucket.start) });
  // Traces can't be filtered by all other groups together, so their figures have no link.
  const isRest = (group: RunGroup | undefined) => group !== undefined && group.key === undefined;
  const hrefOf = (row: Period, status: "" | "ERROR" = "") =>
    isRest(row.group) ? undefined : runsBehind(periodOf(row), { by, source }, row.group, status);
  const groupHref = (group: RunGroup, status: "" | "ERROR" = "") =>
    isRest(group) ? undefined : runsBehind(stats, { by, source }, group, status);
  const periodColumns: Column<Period>[] = [
    {
      id: "start",
      header: texts.started,
      width: "minmax(92px, 1fr)",
      cell: (row) => <RunsLink href={hrefOf(row)}>{startText(row.bucket.start)}</RunsLink>,
    },
    ...(by === undefined
      ? []
      : [
          {
            id: "group",
            header: texts.groupings[by] ?? by,
            width: "minmax(58px, 1fr)",
            cell: ({ group }: Period) => (group === undefined ? "" : groupLabel(group)),
          },
        ]),
    ...figureColumns<Period>(({ bucket }) => bucket, hrefOf),
  ];
  return (
    <>
      {by !== undefined && stats.groups !== undefined && (
        <Panel title={texts.groupings[by] ?? by} flush>
          <PlainTable
            label={texts.groupings[by] ?? by}
            columns={[
              {
                id: "group",
                header: texts.groupings[by] ?? by,
                className: "ar-break",
                cell: (group) => <RunsLink href={groupHref(group)}>{groupLabel(group)}</RunsLink>,
              },
              ...figureColumns<RunGroup>(({ total }) => total, groupHref),
            ]}
            rows={stats.groups}
            keyOf={({ key }) => (key === undefined ? "others" : `key ${key}`)}
          />
        </Panel>
      )}
      <Panel title={texts.periods} flush>
        <DataTable
          label={texts.periods}
          columns={periodColumns}
          rows={periodsOf(stats)}
          keyOf={({ id }) => id}
        />
      </Panel>
    </>
  );
}
