import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { AgentConsumption } from "../../../../contracts/platform/observability.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { creditsText } from "../../../parts/text/money.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { usageTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { tenantPaths } from "../tenant-paths.ts";

/** A tenant's agents by credits used, including deleted agents. */
export function AgentUsageTable({
  tenantId,
  agents,
}: {
  tenantId: string;
  agents: readonly AgentConsumption[];
}) {
  return (
    <Panel title={texts.byAgent} flush>
      <PlainTable
        label={texts.byAgent}
        columns={columnsFor(tenantId)}
        rows={agents}
        keyOf={({ agent_id }) => agent_id}
      />
    </Panel>
  );
}

const columnsFor = (tenantId: string): PlainColumn<AgentConsumption>[] => [
  {
    id: "agent",
    header: texts.agent,
    cell: ({ name, status }) => (
      <>
        <Anchor component={Link} href={`${tenantPaths(tenantId).agent(name)}?tab=runs`} className="ar-break">
          {name}
        </Anchor>{" "}
        {status === "deleted" && <StatusBadge tone="plain">{texts.deleted}</StatusBadge>}
      </>
    ),
  },
  { id: "runs", header: texts.runs, align: "end", cell: ({ month }) => formatNumber(month.invocations) },
  {
    id: "tokens",
    header: texts.tokens,
    align: "end",
    from: "md",
    cell: ({ month }) => formatNumber(month.tokens_in + month.tokens_out),
  },
  {
    id: "credits",
    header: texts.credits,
    align: "decimal",
    cell: ({ month }) => creditsText(month.credits_charged_micros),
  },
  {
    id: "allTime",
    header: texts.allTime,
    align: "decimal",
    from: "md",
    cell: ({ all_time }) => creditsText(all_time.credits_charged_micros),
  },
];
