import { Table } from "@mantine/core";
import { formatDuration, formatNumber, formatPercent, formatUsd } from "../../parts/format.ts";
import { playTexts as texts } from "../../texts/studio-runs.ts";
import { compareRuns, type RunNumber, runNumbers } from "./compare-runs.ts";
import type { PlayedRun } from "./conversation.ts";
import { useTraceCost } from "./use-trace-cost.ts";

const formats: Readonly<Record<RunNumber, (value: number) => string>> = {
  totalMs: formatDuration,
  firstTokenMs: formatDuration,
  inputTokens: formatNumber,
  outputTokens: formatNumber,
  costUsd: formatUsd,
};

/** What two answers to one question took, beside each other. */
export function ComparedNumbers({ a, b }: { a: PlayedRun; b: PlayedRun }) {
  const costA = useTraceCost(a.state.done?.trace_id);
  const costB = useTraceCost(b.state.done?.trace_id);
  if (a.state.done === undefined && b.state.done === undefined) return null;
  const rows = compareRuns(runNumbers(a.state, costA), runNumbers(b.state, costB));
  const labels = a.agent === b.agent ? [texts.column(1), texts.column(2)] : [a.agent, b.agent];
  return (
    <div className="ar-compared ar-panel">
      <Table aria-label={texts.comparison}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.measure}</Table.Th>
            {labels.map((label) => (
              <Table.Th key={label} className="ar-end">
                {label}
              </Table.Th>
            ))}
            <Table.Th className="ar-end">{texts.difference}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, a: left, b: right, difference, share }) => (
            <Table.Tr key={name}>
              <Table.Td>{texts.numbers[name]}</Table.Td>
              <Table.Td className="ar-end">{left === undefined ? "–" : formats[name](left)}</Table.Td>
              <Table.Td className="ar-end">{right === undefined ? "–" : formats[name](right)}</Table.Td>
              <Table.Td className="ar-end">
                {difference === undefined ? "–" : signed(difference, formats[name])}
                {share !== undefined && difference !== 0 && (
                  <span className="ar-soft"> ({signed(share, formatPercent)})</span>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function signed(value: number, format: (value: number) => string): string {
  if (value === 0) return format(0);
  return `${value < 0 ? "−" : "+"}${format(Math.abs(value))}`;
}
