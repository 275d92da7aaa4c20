import { Anchor, SegmentedControl, Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { EvalResultRow, EvalRunDetail } from "../../../contracts/daemon/evals/eval-runs.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { OffsetTable } from "../../parts/tables/offset-table.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { evalKeys } from "./eval-keys.ts";
import { ResultView } from "./result-view.tsx";

/** The results of a run: filtered, searched, and opened one by one. */
export function ResultList({ run, finished }: { run: EvalRunDetail; finished: number }) {
  const daemon = useDaemon();
  const { id, targets } = run;
  const [state, setState] = useUrlState("show");
  const [search, setSearch] = useUrlState("search");
  const [target, setTarget] = useUrlState("target");
  const [opened, open] = useUrlState("result", { push: true });
  const shown = state === "failed" || state === "passed" ? state : undefined;
  // A running run is read again after some results, not after each.
  const step = run.status === "running" ? Math.floor(finished / 25) : finished;
  const columns: Column<EvalResultRow>[] = [
    {
      id: "case",
      header: texts.caseId,
      width: "minmax(90px, 1fr)",
      cell: ({ number, case: name, repeat }) => (
        <Anchor component="button" type="button" onClick={() => open(String(number))}>
          {run.repeat > 1 ? `${name} #${repeat}` : name}
        </Anchor>
      ),
    },
    {
      id: "result",
      header: texts.result,
      width: "86px",
      cell: ({ passed }) => (
        <StatusBadge tone={passed ? "good" : "bad"}>{passed ? texts.passed : texts.failed}</StatusBadge>
      ),
    },
    ...(targets.length > 1
      ? [
          {
            id: "target",
            header: texts.target,
            width: "minmax(80px, 1fr)",
            from: "md" as const,
            cell: (row: EvalResultRow) => row.target,
          },
        ]
      : []),
    {
      id: "query",
      header: texts.question,
      width: "minmax(90px, 1.6fr)",
      from: "md",
      cell: ({ query }) => query,
    },
    {
      id: "answer",
      header: texts.answer,
      width: "minmax(90px, 2fr)",
      from: "sm",
      cell: ({ reason, response }) => reason ?? response,
    },
    {
      id: "trace",
      header: texts.trace,
      width: "60px",
      align: "end",
      from: "sm",
      cell: ({ trace_id: trace, case: name }) =>
        trace !== undefined && (
          <Anchor
            component={Link}
            href={`/studio/traces/${encodeURIComponent(trace)}`}
            aria-label={`${texts.openTrace}: ${name}`}
          >
            {texts.trace}
          </Anchor>
        ),
    },
  ];
  return (
    <Panel title={texts.results}>
      <search className="ar-eval-filters" aria-label={texts.show}>
        <SegmentedControl
          aria-label={texts.show}
          data={[
            { value: "", label: texts.all },
            { value: "failed", label: texts.onlyFailed },
            { value: "passed", label: texts.onlyPassed },
          ]}
          value={shown ?? ""}
          onChange={setState}
        />
        <TextInput
          label={texts.search}
          type="search"
          autoComplete="off"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {targets.length > 1 && (
          <Select
            label={texts.target}
            data={[...targets]}
            clearable
            clearButtonProps={{ "aria-label": texts.all }}
            value={target === "" ? null : target}
            onChange={(value) => setTarget(value ?? "")}
          />
        )}
      </search>
      <OffsetTable
        label={texts.results}
        columns={columns}
        keyOf={({ number }) => String(number)}
        queryKey={[...evalKeys.run(id), "results", shown, search, target, step]}
        read={async (page) => ({
          ...page,
          ...(await daemon.listEvalResults(id, {
            ...page,
            ...(shown && { state: shown }),
            ...(search !== "" && { search }),
            ...(target !== "" && { target }),
          })),
        })}
        rowsOf={({ results }) => results}
        empty={<EmptyState text={texts.noResults} />}
      />
      {opened !== "" && <OpenResult id={id} number={Number(opened)} close={() => open("")} />}
    </Panel>
  );
}

function OpenResult({ id, number, close }: { id: string; number: number; close: () => void }) {
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: [...evalKeys.run(id), "result", number],
    queryFn: () => daemon.getEvalResult(id, number),
  });
  return (
    <Dialog
      opened
      onClose={close}
      size="xl"
      title={query.data === undefined ? texts.result : texts.resultTitle(query.data.result.case)}
    >
      <Loaded query={query}>{({ result }) => <ResultView result={result} />}</Loaded>
    </Dialog>
  );
}
