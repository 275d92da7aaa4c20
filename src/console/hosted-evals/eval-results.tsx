import { Anchor, SegmentedControl } from "@mantine/core";
import { useState } from "react";
import type { CaseResult } from "../../contracts/evals/eval-run.ts";
import type { HostedEvalRun } from "../../contracts/evals/hosted-evals.ts";
import { useUrlState } from "../parts/address/use-url-state.ts";
import { Dialog } from "../parts/dialogs/dialog.tsx";
import { Panel } from "../parts/layout/panel.tsx";
import { EmptyState } from "../parts/states/empty-state.tsx";
import type { Column } from "../parts/tables/data-table.tsx";
import { OffsetTable } from "../parts/tables/offset-table.tsx";
import { StatusBadge } from "../parts/text/status-badge.tsx";
import { ResultView } from "../studio/evals/result-view.tsx";
import { hostedEvalTexts as texts } from "../texts/hosted-evals.ts";
import { evalTexts } from "../texts/studio/evals.ts";
import type { EvalHost } from "./eval-host.ts";

interface Row {
  number: number;
  result: CaseResult;
}

/** The results of a run; one opens with its checks and turns. */
export function EvalResults<Run extends HostedEvalRun>({ host, run }: { host: EvalHost<Run>; run: Run }) {
  const [part, setPart] = useUrlState("show");
  const [opened, open] = useState<Row>();
  const isFailed = part === "failed";
  // A run under way is read again after some results, not after each.
  const step = run.ended_at === null ? Math.floor(run.finished / 10) : run.finished;
  const columns: Column<Row>[] = [
    {
      id: "case",
      header: evalTexts.caseId,
      width: "minmax(90px, 1fr)",
      cell: (row) => (
        <Anchor component="button" type="button" onClick={() => open(row)}>
          {run.repeat > 1 ? `${row.result.case} #${row.result.repeat}` : row.result.case}
        </Anchor>
      ),
    },
    {
      id: "result",
      header: evalTexts.result,
      width: "86px",
      cell: ({ result: { passed } }) => (
        <StatusBadge tone={passed ? "good" : "bad"}>
          {passed ? evalTexts.passed : evalTexts.failed}
        </StatusBadge>
      ),
    },
    {
      id: "answer",
      header: evalTexts.answer,
      width: "minmax(120px, 2fr)",
      from: "sm",
      cell: ({ result }) => result.turns.at(-1)?.response.slice(0, 200) ?? "",
    },
  ];
  return (
    <Panel
      title={evalTexts.results}
      flush
      actions={
        <SegmentedControl
          size="xs"
          aria-label={texts.shown}
          data={[
            { value: "", label: texts.all },
            { value: "failed", label: texts.failedOnly },
          ]}
          value={isFailed ? "failed" : ""}
          onChange={(value) => setPart(value)}
        />
      }
    >
      <OffsetTable
        label={evalTexts.results}
        columns={columns}
        queryKey={host.keys.results(run.id, `${isFailed} ${step}`)}
        read={async (page) => ({
          ...(await host.calls.listEvalResults(run.id, { ...page, ...(isFailed && { passed: false }) })),
          ...page,
        })}
        rowsOf={({ results }) => results}
        keyOf={({ number }) => String(number)}
        empty={<EmptyState text={texts.noResults} />}
      />
      {opened !== undefined && (
        <Dialog
          opened
          size="xl"
          title={texts.result(opened.number, opened.result.case)}
          onClose={() => open(undefined)}
        >
          <ResultView result={opened.result} pathOf={(turn) => host.paths.turn(run, turn)} />
        </Dialog>
      )}
    </Panel>
  );
}
