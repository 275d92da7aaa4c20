import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { AgentHealth } from "../../../../contracts/platform/admin.ts";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { EmptyState } from "../../../parts/states/empty-state.tsx";
import { CursorTable } from "../../../parts/tables/cursor-table.tsx";
import type { Column } from "../../../parts/tables/data-table.tsx";
import { formatNumber, formatPercent } from "../../../parts/text/format.ts";
import { Instant } from "../../../parts/text/instant.tsx";
import { creditsText } from "../../../parts/text/money.ts";
import { StatusBadge, type Tone } from "../../../parts/text/status-badge.tsx";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { usePlatform } from "../../use-platform.ts";
import { runCostText } from "../cost-text.ts";
import { TenantLink } from "../tenant-link.tsx";

const columns: readonly Column<AgentHealth>[] = [
  {
    id: "agent",
    header: texts.agent,
    width: "minmax(110px, 1.4fr)",
    cell: ({ agent_id, name, status }) => (
      <>
        <Anchor component={Link} href={`/platform/operator/invocations?agent=${agent_id}`}>
          {name}
        </Anchor>{" "}
        {status === "deleted" && <StatusBadge tone="plain">{texts.deleted}</StatusBadge>}
      </>
    ),
  },
  {
    id: "errors",
    header: texts.errorRate,
    width: "104px",
    cell: ({ error_rate }) =>
      error_rate === null ? (
        "–"
      ) : (
        <StatusBadge tone={toneOf(error_rate)}>{formatPercent(error_rate)}</StatusBadge>
      ),
  },
  {
    id: "runs",
    header: texts.runs,
    width: "70px",
    align: "end",
    cell: ({ invocations }) => formatNumber(invocations),
  },
  {
    id: "tenant",
    header: texts.tenant,
    width: "minmax(110px, 1fr)",
    from: "lg",
    cell: ({ tenant_id, tenant_name }) => <TenantLink id={tenant_id} name={tenant_name} />,
  },
  {
    id: "credits",
    header: texts.credits,
    width: "110px",
    align: "decimal",
    from: "sm",
    cell: ({ credits_charged_micros }) => creditsText(credits_charged_micros),
  },
  {
    id: "cost",
    header: texts.cost,
    width: "90px",
    align: "decimal",
    from: "md",
    cell: ({ provider_cost_micros: known, unknown_cost_invocations: unknown, infra_cost_micros }) =>
      runCostText(unknown === 0 ? known : null, infra_cost_micros),
  },
  {
    id: "last",
    header: texts.lastRun,
    width: "110px",
    from: "sm",
    cell: ({ last_invocation_at }) =>
      last_invocation_at === null ? "–" : <Instant iso={last_invocation_at} />,
  },
];

const toneOf = (errorRate: number): Tone => {
  if (errorRate > 0.2) return "bad";
  return errorRate > 0.02 ? "warn" : "good";
};

export default function AgentsPage() {
  const platform = usePlatform();
  const [month] = useMonth();
  return (
    <>
      <PageHeader title={texts.agentHealth} lead={texts.agentHealthLead}>
        <MonthPicker />
      </PageHeader>
      <CursorTable
        label={texts.agentHealth}
        columns={columns}
        queryKey={["platform", "admin", "agents", month]}
        read={(page) => platform.listAllAgents({ period: month, ...page })}
        rowsOf={({ agents }) => agents}
        keyOf={({ agent_id }) => agent_id}
        empty={<EmptyState text={texts.noAgents} />}
      />
    </>
  );
}
