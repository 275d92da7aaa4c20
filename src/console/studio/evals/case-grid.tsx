import { Checkbox, Pagination, TextInput } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { EvalGrid, EvalRunDetail } from "../../../contracts/daemon/evals/eval-runs.ts";
import { useUrlFields } from "../../parts/address/use-url-state.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { CellsDialog } from "./cells-dialog.tsx";
import { evalKeys } from "./eval-keys.ts";

/** Cases on a page. */
const pageSize = 25;

type Row = EvalGrid["cases"][number];

/** The answers of a run with several targets: a row for each case, a column for each target. */
export function CaseGrid({ run, finished }: { run: EvalRunDetail; finished: number }) {
  const daemon = useDaemon();
  const { id, targets } = run;
  const [{ cases: search, differing, page: asked }, write] = useUrlFields([
    "cases",
    "differing",
    "page",
  ] as const);
  const page = /^[1-9]\d{0,5}$/.test(asked) ? Number(asked) : 1;
  const [opened, open] = useState<Row>();
  // A running run is read again after some results, not after each.
  const step = run.status === "running" ? Math.floor(finished / 25) : finished;
  const query = useQuery({
    queryKey: [...evalKeys.run(id), "grid", search, differing, page, step],
    queryFn: () =>
      daemon.getEvalGrid(id, {
        offset: (page - 1) * pageSize,
        limit: pageSize,
        ...(search !== "" && { search }),
        ...(differing === "true" && { differing }),
      }),
    placeholderData: keepPreviousData,
  });
  const columns: PlainColumn<Row>[] = [
    {
      id: "case",
      header: texts.caseId,
      cell: (row) => (
        <button type="button" className="ar-eval-case" onClick={() => open(row)}>
          <strong>{row.case}</strong>
          <span className="ar-soft">{row.query}</span>
        </button>
      ),
    },
    ...targets.map((target) => ({
      id: target,
      header: target,
      cell: (row: Row) => <Cell cell={row.cells.find((one) => one.target === target)} />,
    })),
  ];
  return (
    <Panel title={texts.sideBySide}>
      <search className="ar-eval-filters" aria-label={texts.sideBySide}>
        <TextInput
          label={texts.search}
          type="search"
          autoComplete="off"
          value={search}
          onChange={(event) => write({ cases: event.currentTarget.value, page: "" })}
        />
        <Checkbox
          label={texts.differing}
          checked={differing === "true"}
          onChange={(event) => write({ differing: event.currentTarget.checked ? "true" : "", page: "" })}
        />
      </search>
      <Loaded query={query}>
        {({ cases, total }) =>
          total === 0 ? (
            <EmptyState text={texts.noResults} />
          ) : (
            <>
              <PlainTable label={texts.sideBySide} columns={columns} rows={cases} keyOf={(row) => row.case} />
              {total > pageSize && (
                <Pagination
                  mt="sm"
                  total={Math.ceil(total / pageSize)}
                  value={page}
                  onChange={(next) => write({ page: next === 1 ? "" : String(next) })}
                />
              )}
            </>
          )
        }
      </Loaded>
      {opened !== undefined && (
        <CellsDialog
          title={texts.diff(opened.case)}
          query={opened.query}
          expected={opened.expected}
          cells={opened.cells.map((cell) => ({ ...cell, run: id, title: cell.target }))}
          close={() => open(undefined)}
        />
      )}
    </Panel>
  );
}

function Cell({ cell }: { cell: Row["cells"][number] | undefined }) {
  if (cell === undefined) return <span className="ar-soft">{texts.noAnswer}</span>;
  const isPassed = cell.passed === cell.of;
  return (
    <span className="ar-eval-cell">
      <StatusBadge tone={isPassed ? "good" : "bad"}>
        {cell.of > 1 ? texts.rate(cell.passed, cell.of) : isPassed ? texts.passed : texts.failed}
      </StatusBadge>{" "}
      {cell.response}
    </span>
  );
}
