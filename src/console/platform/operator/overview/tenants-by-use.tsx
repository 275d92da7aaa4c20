import { Anchor, Table } from "@mantine/core";
import { Link } from "wouter";
import type { AdminUsage } from "../../../../contracts/platform/admin.ts";
import { formatCredits, formatMicrosUsd, formatNumber } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { StatusBadge } from "../../../parts/status-badge.tsx";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";

/** Who used most, in credits. */
export function TenantsByUse({ tenants }: Pick<AdminUsage, "tenants">) {
  return (
    <Panel title={texts.tenants} flush>
      {tenants.length === 0 ? (
        <p className="ar-panel-body ar-soft">{texts.noRuns}</p>
      ) : (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{texts.tenant}</Table.Th>
              <Table.Th className="ar-end">{texts.runs}</Table.Th>
              <Table.Th className="ar-end">{texts.credits}</Table.Th>
              <Table.Th className="ar-end">{texts.margin}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tenants.map(({ tenant_id, display_name, status, month }) => (
              <Table.Tr key={tenant_id}>
                <Table.Td>
                  <Anchor
                    component={Link}
                    href={`/platform/operator/tenants/${tenant_id}`}
                    className="ar-break"
                  >
                    {display_name}
                  </Anchor>{" "}
                  {status === "deleted" && <StatusBadge tone="plain">{texts.deleted}</StatusBadge>}
                </Table.Td>
                <Table.Td className="ar-end">{formatNumber(month.invocations)}</Table.Td>
                <Table.Td className="ar-end">{formatCredits(month.credits_charged_micros)}</Table.Td>
                <Table.Td className="ar-end">{formatMicrosUsd(month.margin_micros)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
