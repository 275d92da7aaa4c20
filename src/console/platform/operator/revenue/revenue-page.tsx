import { Button, SegmentedControl } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  type RevenueMonth,
  type RevenueReport,
  revenueCsv,
} from "../../../../contracts/platform/billing/revenue.ts";
import { saveFile } from "../../../api/save-file.ts";
import { measures } from "../../../charts/measure.ts";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatNumber, formatPercent } from "../../../parts/text/format.ts";
import { usdText } from "../../../parts/text/money.ts";
import { attributionTexts, revenueTexts as texts } from "../../../texts/platform/attribution.ts";
import { usePlatform } from "../../use-platform.ts";

const ranges = [6, 12, 24] as const;

/** Revenue and churn by month. */
export default function RevenuePage() {
  const platform = usePlatform();
  const [chosen, choose] = useUrlState("months");
  const months = ranges.find((range) => String(range) === chosen) ?? 12;
  const query = useQuery({
    queryKey: ["platform", "admin", "revenue", months],
    queryFn: () => platform.revenue(months),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <SegmentedControl
          size="xs"
          aria-label={texts.months}
          value={String(months)}
          data={ranges.map((range) => ({ value: String(range), label: texts.range(range) }))}
          onChange={(value) => choose(value === "12" ? "" : value)}
        />
        <Button
          variant="default"
          disabled={query.data === undefined}
          onClick={() => query.data && saveFile("revenue.csv", "text/csv", revenueCsv(query.data))}
        >
          {attributionTexts.csv}
        </Button>
      </PageHeader>
      <Loaded query={query}>{(report) => <Report report={report} />}</Loaded>
    </>
  );
}

function Report({ report: { months } }: { report: RevenueReport }) {
  return (
    <div className="ar-stack">
      <div className="ar-columns">
        <Panel title={texts.chart}>
          <TimeChart
            label={texts.chart}
            data={months.map(({ period, revenue_micros }) => ({
              label: period,
              revenue: revenue_micros,
            }))}
            series={[{ name: "revenue", label: texts.revenue, color: "sea.5" }]}
            measure={measures.usd}
          />
        </Panel>
        <Panel title={texts.churnChart}>
          <TimeChart
            label={texts.churnChart}
            data={months.map(({ period, new_tenants, lost_tenants }) => ({
              label: period,
              new: new_tenants,
              lost: lost_tenants,
            }))}
            series={[
              { name: "new", label: texts.newTenants, color: "sea.5" },
              { name: "lost", label: texts.lostTenants, color: "brass.4" },
            ]}
          />
        </Panel>
      </div>
      <Panel title={texts.table} flush>
        <PlainTable
          label={texts.table}
          columns={columns}
          rows={months.toReversed()}
          keyOf={({ period }) => period}
        />
      </Panel>
    </div>
  );
}

const columns: readonly PlainColumn<RevenueMonth>[] = [
  {
    id: "month",
    header: texts.month,
    cell: ({ period, provisional }) => (
      <>
        {period} {provisional && <span className="ar-soft">{texts.provisional}</span>}
      </>
    ),
  },
  {
    id: "revenue",
    header: texts.revenue,
    align: "decimal",
    cell: ({ revenue_micros }) => usdText(revenue_micros),
  },
  { id: "tenants", header: texts.tenants, align: "end", cell: ({ tenants }) => formatNumber(tenants) },
  {
    id: "new",
    header: texts.newTenants,
    align: "end",
    from: "sm",
    cell: ({ new_tenants }) => formatNumber(new_tenants),
  },
  {
    id: "lost",
    header: texts.lostTenants,
    align: "end",
    cell: ({ lost_tenants }) => formatNumber(lost_tenants),
  },
  {
    id: "churn",
    header: texts.churn,
    align: "end",
    cell: ({ churn }) => (churn === null ? "–" : formatPercent(churn)),
  },
  {
    id: "lostRevenue",
    header: texts.lost,
    align: "decimal",
    from: "md",
    cell: ({ lost_revenue_micros }) => usdText(lost_revenue_micros),
  },
  {
    id: "subscriptions",
    header: texts.subscriptions,
    align: "end",
    from: "md",
    cell: ({ subscriptions_started, subscriptions_ended }) =>
      texts.subscriptionChange(subscriptions_started, subscriptions_ended),
  },
];
