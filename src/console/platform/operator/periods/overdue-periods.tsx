import { useQuery } from "@tanstack/react-query";
import type { OverduePeriod } from "../../../../contracts/platform/billing/billing.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";
import { TenantLink } from "../tenant-link.tsx";

const columns: readonly PlainColumn<OverduePeriod>[] = [
  { id: "period", header: texts.period, hidesHeader: true, cell: ({ period }) => period },
  {
    id: "tenant",
    header: texts.tenant,
    hidesHeader: true,
    className: "ar-break",
    cell: ({ tenant_id, tenant_name }) => <TenantLink id={tenant_id} name={tenant_name} />,
  },
  {
    id: "subscription",
    header: texts.subscription,
    hidesHeader: true,
    cell: ({ argo_code }) => argo_code ?? texts.basePlan,
  },
  {
    id: "due",
    header: texts.due,
    hidesHeader: true,
    align: "end",
    cell: ({ due_at }) => (
      <>
        {texts.due} <Instant iso={due_at} />
      </>
    ),
  },
];

/** Months that should have been closed; renders nothing if there are none. */
export function OverduePeriods() {
  const platform = usePlatform();
  const { data } = useQuery({
    queryKey: ["platform", "periods", "overdue"],
    queryFn: () => platform.overduePeriods({ limit: 200 }),
  });
  if (data === undefined || data.periods.length === 0) return null;
  return (
    <Panel title={texts.overdueTitle} flush>
      <PlainTable
        label={texts.overdueTitle}
        columns={columns}
        rows={data.periods}
        keyOf={({ tenant_id, subscription_id, period }) => `${tenant_id} ${subscription_id} ${period}`}
      />
      {data.next_cursor !== undefined && <p className="ar-soft">{texts.overdueMore}</p>}
    </Panel>
  );
}
