import { Anchor, Button, SegmentedControl } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { Cost } from "../../../contracts/amounts.ts";
import type { OrgUsageReport } from "../../../contracts/cloud/usage.ts";
import { TimeChart } from "../../charts/time-chart.tsx";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { StoragePanel } from "../../parts/storage-panel.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatNumber, formatPercent, formatShortDay } from "../../parts/text/format.ts";
import { figureCost, rowCost } from "../../parts/text/money.ts";
import { usageTexts as texts } from "../../texts/cloud/org.ts";
import { orgPaths } from "../cloud-paths.ts";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";

export default orgPage(UsagePage);

const ranges = [7, 30, 90] as const;

function UsagePage({ org }: OrgPageProps) {
  const cloud = useCloud();
  const [chosen, choose] = useUrlState("days");
  const days = ranges.find((range) => String(range) === chosen) ?? 30;
  const query = useQuery({
    queryKey: ["cloud", org.slug, "usage", days],
    queryFn: () => cloud.usageByDay(org.slug, days),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <SegmentedControl
          size="xs"
          aria-label={texts.range}
          value={String(days)}
          data={ranges.map((range) => ({ value: String(range), label: texts.days(range) }))}
          onChange={(value) => choose(value === "30" ? "" : value)}
        />
      </PageHeader>
      <Loaded query={query}>{(report) => <Report report={report} org={org} />}</Loaded>
    </>
  );
}

function Report({ report, org }: OrgPageProps & { report: OrgUsageReport }) {
  const { by_agent: byAgent, by_day: byDay = [], total_requests: runs, total_tokens: tokens } = report;
  const paths = orgPaths(org.slug);
  return (
    <div className="ar-stack">
      <Figures
        figures={[
          { label: texts.requests, value: formatNumber(runs) },
          { label: texts.tokens, value: formatNumber(tokens) },
          {
            label: texts.cost,
            value: figureCost(costOf(report)),
            ...(report.unpriced_tokens > 0 && {
              note: texts.unknownNote(formatNumber(report.unpriced_tokens)),
            }),
          },
          {
            label: texts.today,
            value: formatNumber(report.remaining_today),
            note: texts.ofLimit(formatNumber(report.daily_limit)),
          },
        ]}
      />
      {report.storage !== undefined && <StoragePanel storage={report.storage} />}
      {runs === 0 && report.cost_micros === 0 ? (
        <EmptyState title={texts.noneTitle} text={texts.none}>
          <Button component={Link} href={paths.agents} variant="light">
            {texts.toAgents}
          </Button>
        </EmptyState>
      ) : (
        <>
          <div className="ar-columns">
            <DayChart label={texts.perDay} byDay={byDay} of="requests" color="sea.5" />
            <DayChart label={texts.tokensPerDay} byDay={byDay} of="tokens" color="brass.4" />
          </div>
          <Panel title={texts.byAgent} flush>
            <PlainTable
              label={texts.byAgent}
              rows={byAgent}
              keyOf={({ agent }) => agent}
              columns={[
                {
                  id: "agent",
                  header: texts.agent,
                  cell: ({ agent }) => (
                    <Anchor component={Link} href={paths.agent(agent)} className="ar-break">
                      {agent}
                    </Anchor>
                  ),
                },
                ...usedColumns,
                {
                  id: "share",
                  header: texts.share,
                  align: "end",
                  from: "md",
                  cell: (row) => formatPercent(tokens === 0 ? 0 : row.tokens / tokens),
                },
              ]}
            />
          </Panel>
          <Panel title={texts.byModel} flush>
            <PlainTable
              label={texts.byModel}
              rows={report.by_model}
              keyOf={({ provider, model }) => `${provider}/${model}`}
              columns={[
                {
                  id: "model",
                  header: texts.model,
                  className: "ar-break",
                  cell: ({ provider, model }) => `${provider}/${model}`,
                },
                ...usedColumns,
              ]}
            />
          </Panel>
          <Panel title={texts.byKey} flush>
            <PlainTable
              label={texts.byKey}
              rows={report.by_key}
              keyOf={({ key_id, caused_by }) => key_id ?? caused_by}
              columns={[
                { id: "key", header: texts.key, className: "ar-break", cell: ({ name }) => name },
                ...usedColumns,
              ]}
            />
          </Panel>
        </>
      )}
    </div>
  );
}

type Used = Pick<
  OrgUsageReport["by_agent"][number],
  "requests" | "tokens" | "cost_micros" | "unpriced_tokens"
>;

const usedColumns: readonly PlainColumn<Used>[] = [
  { id: "requests", header: texts.requests, align: "end", cell: ({ requests }) => formatNumber(requests) },
  { id: "tokens", header: texts.tokens, align: "end", from: "sm", cell: (row) => formatNumber(row.tokens) },
  { id: "cost", header: texts.cost, align: "decimal", cell: (used) => rowCost(costOf(used)) },
];

const costOf = ({ cost_micros, unpriced_tokens }: Omit<Used, "requests" | "tokens">): Cost => ({
  micros: cost_micros,
  unknown: unpriced_tokens,
});

interface DayChartProps {
  label: string;
  byDay: NonNullable<OrgUsageReport["by_day"]>;
  of: "requests" | "tokens";
  color: string;
}

function DayChart({ label, byDay, of, color }: DayChartProps) {
  return (
    <Panel title={label}>
      <TimeChart
        label={label}
        data={byDay.map((row) => ({ label: formatShortDay(row.day), [of]: row[of] }))}
        series={[{ name: of, label: of === "requests" ? texts.requests : texts.tokens, color }]}
      />
    </Panel>
  );
}
