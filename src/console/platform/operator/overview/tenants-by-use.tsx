import type { AdminUsage } from "../../../../contracts/platform/admin.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { marginText } from "../cost-text.ts";
import { TenantLink } from "../tenant-link.tsx";

const columns: readonly PlainColumn<AdminUsage["tenants"][number]>[] = [
  {
    id: "tenant",
    header: texts.tenant,
    className: "ar-break",
    cell: ({ tenant_id, display_name, status }) => (
      <>
        <TenantLink id={tenant_id} name={display_name} />{" "}
        {status === "deleted" && <StatusBadge tone="plain">{texts.deleted}</StatusBadge>}
      </>
    ),
  },
  { id: "runs", header: texts.runs, align: "end", cell: ({ month }) => formatNumber(month.invocations) },
  {
    id: "credits",
    header: texts.credits,
    align: "decimal",
    cell: ({ month }) => creditsText(month.credits_charged_micros),
  },
  {
    id: "margin",
    header: texts.margin,
    align: "decimal",
    cell: ({ month }) => marginText(month.margin_micros),
  },
];

/** Tenants by credits used. */
export function TenantsByUse({ tenants }: Pick<AdminUsage, "tenants">) {
  return (
    <Panel title={texts.tenants} flush>
      <PlainTable
        label={texts.tenants}
        columns={columns}
        rows={tenants}
        keyOf={({ tenant_id }) => tenant_id}
        empty={<p className="ar-panel-body ar-soft">{texts.noRuns}</p>}
      />
    </Panel>
  );
}
