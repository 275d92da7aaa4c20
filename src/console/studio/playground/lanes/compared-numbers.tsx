import { type PlainColumn, PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatDuration, formatNumber, formatPercent } from "../../../parts/text/format.ts";
import { rowUsd, traceCost } from "../../../parts/text/money.ts";
import { playTexts as texts } from "../../../texts/studio/runs.ts";
import type { SpanCost } from "../../traces/span-totals.ts";
import type { PlayedRun } from "../conversation.ts";
import { useTraceCost } from "../use-trace-cost.ts";
import { type ComparedNumber, compareRuns, type RunNumber, runNumbers } from "./compare-runs.ts";

const formats: Readonly<Record<RunNumber, (value: number) => string>> = {
  totalMs: formatDuration,
  firstTokenMs: formatDuration,
  inputTokens: formatNumber,
  outputTokens: formatNumber,
  costUsd: rowUsd,
};

/** The numbers of the answers to one question, side by side; of two answers also their differences. */
export function ComparedNumbers({ runs }: { runs: readonly PlayedRun[] }) {
  // One call for each column that there may be.
  const costs = [
    useTraceCost(runs[0]?.state.done?.trace_id),
    useTraceCost(runs[1]?.state.done?.trace_id),
    useTraceCost(runs[2]?.state.done?.trace_id),
    useTraceCost(runs[3]?.state.done?.trace_id),
  ];
  if (runs.every(({ state }) => state.done === undefined)) return null;
  const rows = compareRuns(runs.map(({ state }, at) => runNumbers(state, wholeCost(costs[at]))));
  const areAlike = new Set(runs.map(({ agent }) => agent)).size < runs.length;
  return (
    <div className="ar-compared ar-panel">
      <PlainTable
        label={texts.comparison}
        columns={[
          { id: "measure", header: texts.measure, cell: ({ name }) => texts.numbers[name] },
          ...runs.map(
            ({ key, agent, lane }, at): PlainColumn<ComparedNumber> => ({
              id: key,
              header: areAlike ? texts.column(lane + 1) : agent,
              align: "end",
              cell: ({ name, values }) =>
                name === "costUsd" ? costText(costs[at]) : shown(values[at], formats[name]),
            }),
          ),
          ...(runs.length === 2 ? [difference] : []),
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </div>
  );
}

const difference: PlainColumn<ComparedNumber> = {
  id: "difference",
  header: texts.difference,
  align: "end",
  cell: ({ name, difference, share }) => (
    <>
      {shown(difference, (value) => signed(value, formats[name]))}
      {share !== undefined && difference !== 0 && (
        <span className="ar-soft"> ({signed(share, formatPercent)})</span>
      )}
    </>
  ),
};

const costText = (cost: SpanCost | undefined): string => (cost === undefined ? "–" : traceCost(cost));

/** The cost, if all of it is known. */
const wholeCost = (cost: SpanCost | undefined): number | undefined =>
  cost?.unpriced_calls === 0 ? cost.cost_usd : undefined;

const shown = (value: number | undefined, format: (value: number) => string): string =>
  value === undefined ? "–" : format(value);

function signed(value: number, format: (value: number) => string): string {
  if (value === 0) return format(0);
  return `${value < 0 ? "−" : "+"}${format(Math.abs(value))}`;
}
