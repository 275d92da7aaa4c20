import { Anchor, Button, Group, Select } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import type { BillingPeriod } from "../../../../contracts/platform/billing/billing.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { Facts } from "../../../parts/layout/facts.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { notify } from "../../../parts/notices.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { formatDate } from "../../../parts/text/format.ts";
import { usdText, usdTotalText } from "../../../parts/text/money.ts";
import { StatusBadge, type Tone } from "../../../parts/text/status-badge.tsx";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";
import { TenantLink } from "../tenant-link.tsx";
import { TenantSelect } from "../tenant-select.tsx";
import { OverduePeriods } from "./overdue-periods.tsx";

const tones: Readonly<Record<BillingPeriod["status"], Tone>> = {
  open: "accent",
  closed: "warn",
  facturado: "good",
};

export default function PeriodsPage() {
  const platform = usePlatform();
  const queries = useQueryClient();
  const [status, setStatus] = useUrlState("status");
  const [tenant, setTenant] = useUrlState("tenant");
  const [marked, mark] = useState<BillingPeriod>();
  const filters = {
    ...(status === "" ? {} : { status: status as BillingPeriod["status"] }),
    ...(tenant === "" ? {} : { tenant_id: tenant }),
  };
  return (
    <>
      <PageHeader title={texts.periods} lead={texts.periodsLead} />
      <div className="ar-stack">
        <OverduePeriods />
        <Group>
          <Select
            aria-label={texts.status}
            placeholder={texts.anyPeriodStatus}
            clearable
            clearButtonProps={{ "aria-label": texts.anyPeriodStatus }}
            data={Object.entries(texts.periodStatus).map(([value, label]) => ({ value, label }))}
            value={status === "" ? null : status}
            onChange={(value) => setStatus(value ?? "")}
          />
          <TenantSelect value={tenant} choose={setTenant} />
        </Group>
        <CursorTable
          label={texts.periods}
          columns={columnsWith(mark)}
          queryKey={["platform", "periods", filters]}
          read={(page) => platform.listPeriods({ ...filters, ...page })}
          rowsOf={({ periods }) => periods}
          keyOf={({ id }) => id}
          empty={<EmptyState text={status === "" && tenant === "" ? texts.noPeriodsYet : texts.noPeriods} />}
        />
      </div>
      <Confirm
        title={texts.markTitle}
        text={marked === undefined ? "" : <MarkText period={marked} />}
        action={texts.markInvoiced}
        opened={marked !== undefined}
        onClose={() => mark(undefined)}
        onConfirm={async () => {
          if (marked === undefined) return;
          await platform.markInvoiced(marked.id);
          await queries.invalidateQueries({ queryKey: ["platform", "periods"] });
          notify(texts.marked(marked.tenant_name, marked.period));
        }}
      />
    </>
  );
}

function MarkText({ period }: { period: BillingPeriod }) {
  const { tenant_name, argo_code, amount_micros } = period;
  return (
    <>
      <Facts
        facts={[
          { label: texts.tenant, value: tenant_name },
          { label: texts.period, value: period.period },
          { label: texts.plan, value: argo_code ?? texts.basePlan },
          { label: texts.amount, value: `${usdText(amount_micros ?? 0)} ${texts.currency}` },
        ]}
      />
      <p>{texts.markText(usdTotalText(amount_micros ?? 0))}</p>
    </>
  );
}

const columnsWith = (mark: (period: BillingPeriod) => void): readonly Column<BillingPeriod>[] => [
  {
    id: "period",
    header: texts.period,
    width: "76px",
    cell: ({ tenant_id, period }) => (
      <Anchor component={Link} href={`/platform/operator/tenants/${tenant_id}/statement?period=${period}`}>
        {period}
      </Anchor>
    ),
  },
  {
    id: "tenant",
    header: texts.tenant,
    width: "minmax(110px, 1.4fr)",
    cell: ({ tenant_id, tenant_name }) => <TenantLink id={tenant_id} name={tenant_name} />,
  },
  {
    id: "subscription",
    header: texts.subscription,
    width: "minmax(100px, 1fr)",
    from: "md",
    cell: ({ argo_code }) => argo_code ?? texts.basePlan,
  },
  {
    id: "amount",
    header: texts.amount,
    width: "96px",
    align: "decimal",
    cell: ({ amount_micros }) => (amount_micros === null ? "–" : usdTotalText(amount_micros)),
  },
  {
    id: "status",
    header: texts.status,
    width: "110px",
    from: "sm",
    cell: ({ status }) => <StatusBadge tone={tones[status]}>{texts.periodStatus[status]}</StatusBadge>,
  },
  {
    id: "closed",
    header: texts.closedAt,
    width: "120px",
    from: "md",
    cell: ({ closed_at }) => (closed_at === null ? "–" : formatDate(closed_at)),
  },
  {
    id: "invoiced",
    header: texts.invoicedAt,
    width: "150px",
    from: "sm",
    cell: (period) => {
      if (period.facturado_at !== null) return formatDate(period.facturado_at);
      if (period.status !== "closed") return "–";
      return (
        <Button size="compact-xs" variant="default" onClick={() => mark(period)}>
          {texts.markInvoiced}
        </Button>
      );
    },
  },
];
