import type { AdminUsage } from "../../../../contracts/platform/admin.ts";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatPercent } from "../../../parts/text/format.ts";
import { creditsText, usdText } from "../../../parts/text/money.ts";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { ConsumptionFigures, usePlatformUsage } from "../consumption-figures.tsx";
import { costText, marginText } from "../cost-text.ts";
import { TenantLink } from "../tenant-link.tsx";

const columns: readonly PlainColumn<AdminUsage["tenants"][number]>[] = [
  {
    id: "tenant",
    header: texts.tenant,
    className: "ar-break",
    cell: ({ tenant_id, display_name }) => <TenantLink id={tenant_id} name={display_name} />,
  },
  {
    id: "credits",
    header: texts.credits,
    align: "decimal",
    from: "sm",
    cell: ({ month }) => creditsText(month.credits_charged_micros),
  },
  {
    id: "revenue",
    header: texts.revenue,
    align: "decimal",
    cell: ({ month }) => usdText(month.revenue_micros),
  },
  {
    id: "provider",
    header: texts.providerCost,
    align: "decimal",
    from: "sm",
    cell: ({ month }) => costText(month),
  },
  {
    id: "infra",
    header: texts.infraCost,
    align: "decimal",
    from: "sm",
    cell: ({ month }) => usdText(month.infra_cost_micros),
  },
  {
    id: "overrun",
    header: texts.overrun,
    align: "decimal",
    from: "md",
    cell: ({ month }) => creditsText(month.overrun_micros),
  },
  {
    id: "margin",
    header: texts.margin,
    align: "end",
    cell: ({ month }) => (
      <>
        {marginText(month.margin_micros)}{" "}
        {month.margin_micros !== null && month.revenue_micros > 0 && (
          <span className="ar-soft">{formatPercent(month.margin_micros / month.revenue_micros)}</span>
        )}
      </>
    ),
  },
];

/** Margins by tenant. */
export default function MarginsPage() {
  const [month] = useMonth();
  const query = usePlatformUsage(month);
  return (
    <>
      <PageHeader title={texts.margins} lead={texts.marginsLead}>
        <MonthPicker />
      </PageHeader>
      <Loaded query={query}>
        {(usage) => (
          <>
            <ConsumptionFigures consumption={usage.month} />
            {usage.tenants.length === 0 ? (
              <EmptyState text={texts.noRuns} />
            ) : (
              <MarginTable tenants={usage.tenants} />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function MarginTable({ tenants }: Pick<AdminUsage, "tenants">) {
  return (
    <Panel title={texts.marginsByTenant} flush>
      <PlainTable
        label={texts.margins}
        columns={columns}
        rows={tenants.toSorted((a, b) => sortKeyOf(a) - sortKeyOf(b))}
        keyOf={({ tenant_id }) => tenant_id}
      />
    </Panel>
  );
}

/** Tenants with an unknown margin are first. */
const sortKeyOf = ({ month }: AdminUsage["tenants"][number]) =>
  month.margin_micros ?? Number.MIN_SAFE_INTEGER;
