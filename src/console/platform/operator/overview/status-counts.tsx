import { Table } from "@mantine/core";
import type { InvocationStatus } from "../../../../contracts/platform/observability.ts";
import { formatNumber, formatPercent } from "../../../parts/format.ts";
import { Panel } from "../../../parts/panel.tsx";
import { operatorTexts as texts } from "../../../texts/platform-runs.ts";
import { InvocationBadge } from "../../invocation-badge.tsx";

/** How the runs ended. */
export function StatusCounts({ counts }: { counts: Record<string, number> }) {
  const rows = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const all = rows.reduce((sum, [, count]) => sum + count, 0);
  return (
    <Panel title={texts.byStatus} flush>
      {rows.length === 0 ? (
        <p className="ar-panel-body ar-soft">{texts.noRuns}</p>
      ) : (
        <Table>
          <Table.Tbody>
            {rows.map(([status, count]) => (
              <Table.Tr key={status}>
                <Table.Td>
                  <InvocationBadge status={status as InvocationStatus} />
                </Table.Td>
                <Table.Td className="ar-end">{formatNumber(count)}</Table.Td>
                <Table.Td className="ar-end ar-soft">{formatPercent(count / all)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}
