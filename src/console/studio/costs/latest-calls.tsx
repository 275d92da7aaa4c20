import { useQuery } from "@tanstack/react-query";
import type { CostRecord } from "../../../contracts/daemon/models/costs.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../parts/tables/data-table.tsx";
import { formatDuration, formatNumber } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { costOfUsd, rowCost } from "../../parts/text/money.ts";
import { costTexts as texts } from "../../texts/studio/monitoring.ts";
import { useDaemon } from "../use-daemon.ts";

const columns: readonly Column<CostRecord>[] = [
  { id: "agent", header: texts.agent, width: "minmax(90px, 1fr)", cell: ({ agent_name }) => agent_name },
  { id: "model", header: texts.model, width: "minmax(90px, 1.2fr)", cell: ({ model }) => model },
  {
    id: "tokens",
    header: texts.tokens,
    width: "84px",
    align: "end",
    cell: ({ input_tokens, output_tokens }) => formatNumber(input_tokens + output_tokens),
  },
  {
    id: "cost",
    header: texts.cost,
    width: "88px",
    align: "decimal",
    from: "sm",
    cell: ({ cost_usd }) => rowCost(costOfUsd(cost_usd)),
  },
  {
    id: "latency",
    header: texts.took,
    width: "92px",
    align: "end",
    from: "sm",
    cell: ({ latency_ms }) => formatDuration(latency_ms),
  },
  {
    id: "time",
    header: texts.time,
    width: "110px",
    from: "md",
    cell: ({ timestamp }) => <Instant iso={timestamp} />,
  },
];

/** The last 100 model calls, newest first. */
export function LatestCalls() {
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: ["daemon", "costs", "records"],
    queryFn: () => daemon.listUsageRecords({ limit: 100 }),
  });
  return (
    <Panel title={texts.latest} flush>
      <Loaded query={query}>
        {({ records }) => (
          <DataTable
            label={texts.latest}
            columns={columns}
            rows={records}
            keyOf={(record) => keyOf(records, record)}
            empty={<p className="ar-panel-body ar-soft">{texts.noLatest}</p>}
          />
        )}
      </Loaded>
    </Panel>
  );
}

/** Returns a key made of time and position: records have no id, and never change. */
const keyOf = (records: readonly CostRecord[], record: CostRecord): string =>
  `${record.timestamp} ${records.length - records.indexOf(record)}`;
