import type { CostSummary } from "../../../contracts/daemon/models/costs.ts";
import type { RunSource } from "../../../contracts/daemon/runs/run-sources.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatCompact, formatDuration, formatInstant, formatNumber } from "../../parts/text/format.ts";
import { costOfUsd, figureCost, rowCost } from "../../parts/text/money.ts";
import { sourceTexts } from "../../texts/quality.ts";
import { costTexts as texts } from "../../texts/studio/monitoring.ts";

type Totals = CostSummary["by_agent"][string];

/** The totals of the period, and their breakdown. */
export function CostSummaryView({ summary }: { summary: CostSummary }) {
  return (
    <>
      <Figures
        figures={[
          { label: texts.cost, value: figureCost(costOfUsd(summary.total_cost, summary.unpriced_calls)) },
          {
            label: texts.tokens,
            value: formatCompact(summary.total_tokens),
            note: texts.tokensNote(
              formatCompact(summary.total_input_tokens),
              formatCompact(summary.total_output_tokens),
            ),
          },
          { label: texts.calls, value: formatNumber(summary.num_calls) },
          { label: texts.latency, value: formatDuration(summary.avg_latency_ms) },
          { label: texts.unpriced, value: formatNumber(summary.unpriced_calls), note: texts.unpricedNote },
          { label: texts.estimated, value: formatNumber(summary.estimated_calls), note: texts.estimatedNote },
        ]}
      />
      {Object.keys(summary.by_source).length > 0 && (
        <div className="ar-columns">
          <TotalsTable title={texts.agents} first={texts.agent} totals={summary.by_agent} />
          <TotalsTable title={texts.models} first={texts.model} totals={summary.by_model} />
          <TotalsTable title={texts.sources} first={texts.source} totals={namedSources(summary)} />
        </div>
      )}
      <p className="ar-soft">
        {texts.countedFrom} {formatInstant(summary.counted_from)}
      </p>
    </>
  );
}

const namedSources = ({ by_source: bySource }: CostSummary): Record<string, Totals> =>
  Object.fromEntries(
    Object.entries(bySource).map(([source, totals]) => [
      sourceTexts.filters[source as RunSource] ?? source,
      totals,
    ]),
  );

function TotalsTable({
  title,
  first,
  totals,
}: {
  title: string;
  first: string;
  totals: Record<string, Totals>;
}) {
  const rows = Object.entries(totals).sort((a, b) => b[1].cost - a[1].cost || b[1].tokens - a[1].tokens);
  return (
    <Panel title={title} flush>
      <PlainTable
        label={title}
        columns={[
          { id: "name", header: first, className: "ar-break", cell: ([name]) => name },
          { id: "calls", header: texts.calls, align: "end", cell: ([, { calls }]) => formatNumber(calls) },
          {
            id: "tokens",
            header: texts.tokens,
            align: "end",
            cell: ([, { tokens }]) => formatNumber(tokens),
          },
          {
            id: "cost",
            header: texts.cost,
            align: "decimal",
            cell: ([, { cost, unpriced_calls }]) => rowCost(costOfUsd(cost, unpriced_calls)),
          },
        ]}
        rows={rows}
        keyOf={([name]) => name}
      />
    </Panel>
  );
}
