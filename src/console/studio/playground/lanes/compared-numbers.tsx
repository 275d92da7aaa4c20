import { PlainTable } from "../../../parts/tables/plain-table.tsx";
import { formatDuration, formatNumber, formatPercent, formatUsd } from "../../../parts/text/format.ts";
import { playTexts as texts } from "../../../texts/studio/runs.ts";
import type { PlayedRun } from "../conversation.ts";
import { useTraceCost } from "../use-trace-cost.ts";
import { compareRuns, type RunNumber, runNumbers } from "./compare-runs.ts";

const formats: Readonly<Record<RunNumber, (value: number) => string>> = {
  totalMs: formatDuration,
  firstTokenMs: formatDuration,
  inputTokens: formatNumber,
  outputTokens: formatNumber,
  costUsd: formatUsd,
};

/** The numbers of two answers to one question, side by side. */
export function ComparedNumbers({ a, b }: { a: PlayedRun; b: PlayedRun }) {
  const costA = useTraceCost(a.state.done?.trace_id);
  const costB = useTraceCost(b.state.done?.trace_id);
  if (a.state.done === undefined && b.state.done === undefined) return null;
  const rows = compareRuns(runNumbers(a.state, costA), runNumbers(b.state, costB));
  const [first, second] =
    a.agent === b.agent ? ([texts.column(1), texts.column(2)] as const) : ([a.agent, b.agent] as const);
  return (
    <div className="ar-compared ar-panel">
      <PlainTable
        label={texts.comparison}
        columns={[
          { id: "measure", header: texts.measure, cell: ({ name }) => texts.numbers[name] },
          { id: "a", header: first, align: "end", cell: ({ name, a: value }) => shown(value, formats[name]) },
          {
            id: "b",
            header: second,
            align: "end",
            cell: ({ name, b: value }) => shown(value, formats[name]),
          },
          {
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
          },
        ]}
        rows={rows}
        keyOf={({ name }) => name}
      />
    </div>
  );
}

const shown = (value: number | undefined, format: (value: number) => string): string =>
  value === undefined ? "–" : format(value);

function signed(value: number, format: (value: number) => string): string {
  if (value === 0) return format(0);
  return `${value < 0 ? "−" : "+"}${format(Math.abs(value))}`;
}
