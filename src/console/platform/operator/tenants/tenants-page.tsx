import type { AdminTenantList } from "../../../../contracts/platform/admin.ts";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";
import { marginText } from "../cost-text.ts";
import { TenantLink } from "../tenant-link.tsx";
import { shareOfCap } from "./share-of-cap.ts";

type Row = AdminTenantList["tenants"][number];

const columns: readonly Column<Row>[] = [
  {
    id: "tenant",
    header: texts.tenant,
    width: "minmax(120px, 1.6fr)",
    cell: ({ id, display_name, status }) => (
      <>
        <TenantLink id={id} name={display_name} />{" "}
        {status === "deleted" && <StatusBadge tone="plain">{texts.deleted}</StatusBadge>}
      </>
    ),
  },
  {
    id: "owner",
    header: texts.owner,
    width: "minmax(120px, 1.2fr)",
    from: "md",
    cell: ({ owner }) => owner.email,
  },
  { id: "plan", header: texts.plan, width: "110px", from: "sm", cell: ({ plan_id }) => plan_id },
  {
    id: "agents",
    header: texts.agents,
    width: "70px",
    align: "end",
    from: "md",
    cell: ({ active_agents }) => formatNumber(active_agents),
  },
  {
    id: "runs",
    header: texts.runs,
    width: "70px",
    align: "end",
    cell: ({ month }) => formatNumber(month.invocations),
  },
  {
    id: "credits",
    header: texts.credits,
    width: "minmax(150px, 1.2fr)",
    align: "end",
    from: "sm",
    cell: ({ credits }) => <Charged {...credits} />,
  },
  {
    id: "margin",
    header: texts.margin,
    width: "90px",
    align: "decimal",
    cell: ({ month }) => marginText(month.margin_micros),
  },
];

function Charged(credits: Row["credits"]) {
  const charged = creditsText(credits.charged_micros);
  const share = shareOfCap(credits);
  return (
    <span title={`${charged} ${share}`}>
      {charged} <span className="ar-soft">{share}</span>
    </span>
  );
}

export default function TenantsPage() {
  const platform = usePlatform();
  const [month] = useMonth();
  return (
    <>
      <PageHeader title={texts.allTenants} lead={texts.allTenantsLead}>
        <MonthPicker />
      </PageHeader>
      <CursorTable
        label={texts.allTenants}
        columns={columns}
        queryKey={["platform", "admin", "tenants", month]}
        read={(page) => platform.listAllTenants({ period: month, ...page })}
        rowsOf={({ tenants }) => tenants}
        keyOf={({ id }) => id}
        empty={<EmptyState text={texts.noTenants} />}
      />
    </>
  );
}
