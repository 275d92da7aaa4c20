import type { EvalRunDetail } from "../../../contracts/daemon/evals/eval-runs.ts";
import type { TargetSummary } from "../../../contracts/evals/eval-run.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatDuration, formatFixed, formatNumber, formatPercent } from "../../parts/text/format.ts";
import { costOfUsd, rowCost } from "../../parts/text/money.ts";
import { evalTexts as texts } from "../../texts/studio/evals.ts";

const columns: readonly PlainColumn<TargetSummary>[] = [
  { id: "target", header: texts.target, className: "ar-break", cell: ({ target }) => target },
  { id: "rate", header: texts.mean, align: "end", cell: ({ pass_rate: rate }) => formatPercent(rate) },
  {
    id: "interval",
    header: texts.interval,
    align: "end",
    cell: ({ interval: [low, high] }) => `${formatPercent(low)} – ${formatPercent(high)}`,
  },
  {
    id: "failed",
    header: texts.failed,
    align: "end",
    cell: ({ runs, passed }) => texts.failedOf(formatNumber(runs - passed), formatNumber(runs)),
  },
  {
    id: "tokens",
    header: texts.tokens,
    align: "end",
    from: "md",
    cell: ({ tokens }) => formatNumber(tokens),
  },
  {
    id: "cost",
    header: texts.cost,
    align: "decimal",
    from: "sm",
    cell: ({ cost_usd: usd, unpriced_runs: unpriced }) => rowCost(costOfUsd(usd, unpriced)),
  },
  {
    id: "latency",
    header: texts.latency,
    align: "end",
    from: "md",
    cell: ({ latency_ms: { p50 } }) => formatDuration(p50),
  },
];

/** The figures of a run by target, with the interval of the pass rate, notes on significance, and the agreement of judges with people. */
export function RunSummary({ run: { summary, simulated } }: { run: EvalRunDetail }) {
  const { targets, labels } = summary;
  const notes = targets.flatMap(({ target, unstable, against_first: against }) => [
    ...(unstable.length > 0 ? [texts.unstable(target, unstable.slice(0, 5).join(", "))] : []),
    ...(against ? [texts.against(target, against.note)] : []),
  ]);
  if (labels !== undefined) {
    const kappa = labels.kappa === null ? "" : texts.kappa(formatFixed(labels.kappa, 2));
    notes.push(texts.labels(labels.agreed, labels.labelled, kappa, labels.split_votes));
  }
  if (simulated) notes.push(texts.simulated);
  return (
    <Panel title={texts.mean} flush>
      <PlainTable label={texts.mean} columns={columns} rows={targets} keyOf={({ target }) => target} />
      {notes.map((note) => (
        <p key={note} className="ar-soft ar-break ar-eval-note">
          {note}
        </p>
      ))}
    </Panel>
  );
}
