import { Anchor, Table } from "@mantine/core";
import { Link } from "wouter";
import type { AgentConsumption } from "../../../../contracts/platform/observability.ts";
import { formatCredits, formatNumber } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { StatusBadge } from "../../../parts/status-badge.tsx";
import { usageTexts as texts } from "../../../texts/platform-tenant-runs.ts";
import { tenantPaths } from "../tenant-paths.ts";

/** A tenant's agents by the credits they took, deleted ones among them. */
export function AgentUsageTable({
  tenantId,
  agents,
}: {
  tenantId: string;
  agents: readonly AgentConsumption[];
}) {
  const paths = tenantPaths(tenantId);
  return (
    <Panel title={texts.byAgent} flush>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.agent}</Table.Th>
            <Table.Th className="ar-end">{texts.runs}</Table.Th>
            <Table.Th className="ar-end" visibleFrom="sm">
              {texts.tokens}
            </Table.Th>
            <Table.Th className="ar-end">{texts.credits}</Table.Th>
            <Table.Th className="ar-end" visibleFrom="sm">
              {texts.allTime}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {agents.map(({ agent_id, name, status, month, all_time }) => (
            <Table.Tr key={agent_id}>
              <Table.Td>
                <Anchor component={Link} href={`${paths.agent(name)}?tab=runs`} className="ar-break">
                  {name}
                </Anchor>{" "}
                {status === "deleted" && <StatusBadge tone="plain">{texts.deleted}</StatusBadge>}
              </Table.Td>
              <Table.Td className="ar-end">{formatNumber(month.invocations)}</Table.Td>
              <Table.Td className="ar-end" visibleFrom="sm">
                {formatNumber(month.tokens_in + month.tokens_out)}
              </Table.Td>
              <Table.Td className="ar-end">{formatCredits(month.credits_charged_micros)}</Table.Td>
              <Table.Td className="ar-end" visibleFrom="sm">
                {formatCredits(all_time.credits_charged_micros)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}
