import type { InvocationStatus } from "../../../../contracts/platform/observability.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatNumber, formatPercent } from "../../../parts/text/format.ts";
import { operatorTexts as texts } from "../../../texts/platform/operator.ts";
import { InvocationBadge } from "../../invocation-badge.tsx";

/** Number of runs by status. */
export function StatusCounts({ counts }: { counts: Record<string, number> }) {
  const rows = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const all = rows.reduce((sum, [, count]) => sum + count, 0);
  return (
    <Panel title={texts.byStatus} flush>
      <PlainTable
        label={texts.byStatus}
        columns={[
          {
            id: "status",
            header: texts.status,
            hidesHeader: true,
            cell: ([status]) => <InvocationBadge status={status as InvocationStatus} />,
          },
          {
            id: "runs",
            header: texts.runs,
            hidesHeader: true,
            align: "end",
            cell: ([, count]) => formatNumber(count),
          },
          {
            id: "share",
            header: texts.share,
            hidesHeader: true,
            align: "end",
            className: "ar-soft",
            cell: ([, count]) => formatPercent(count / all),
          },
        ]}
        rows={rows}
        keyOf={([status]) => status}
        empty={<p className="ar-panel-body ar-soft">{texts.noRuns}</p>}
      />
    </Panel>
  );
}
