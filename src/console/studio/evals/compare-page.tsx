import { Anchor, SegmentedControl, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useParams } from "wouter";
import type { changeKinds, EvalComparisonPage } from "../../../contracts/daemon/evals/eval-runs.ts";
import { DiffView } from "../../editor/diff-view.tsx";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import type { Column } from "../../parts/tables/data-table.tsx";
import { OffsetTable } from "../../parts/tables/offset-table.tsx";
import { formatInstant, formatNumber, formatPercent } from "../../parts/text/format.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { evalKeys, evalPath } from "./eval-keys.ts";

type Change = EvalComparisonPage["changes"][number];
type Side = NonNullable<Change["before"]>;

const tones: Readonly<Record<Change["change"], Tone>> = {
  regressed: "bad",
  failing: "warn",
  improved: "good",
  added: "plain",
  removed: "plain",
  passing: "good",
};

/** Two runs of an eval, regressions first. */
export default function ComparePage() {
  const { id = "" } = useParams();
  const daemon = useDaemon();
  const [before] = useUrlState("before");
  const [change, setChange] = useUrlState("change");
  const [search, setSearch] = useUrlState("search");
  const [opened, open] = useState<Change>();
  const head = useQuery({
    queryKey: [...evalKeys.run(id), "comparison", before],
    queryFn: () => daemon.compareEvalRuns(id, { before, limit: 1 }),
  });
  const up = head.data && { href: evalPath(head.data.after.eval), label: head.data.after.eval };
  const columns: Column<Change>[] = [
    {
      id: "case",
      header: texts.caseId,
      width: "minmax(90px, 1fr)",
      cell: (row) => (
        <Anchor component="button" type="button" onClick={() => open(row)}>
          {row.case}
        </Anchor>
      ),
    },
    {
      id: "change",
      header: texts.change,
      width: "110px",
      cell: ({ change: kind }) => <StatusBadge tone={tones[kind]}>{texts.changes[kind]}</StatusBadge>,
    },
    {
      id: "before",
      header: texts.before,
      width: "80px",
      align: "end",
      from: "sm",
      cell: (row) => rateOf(row.before),
    },
    {
      id: "after",
      header: texts.after,
      width: "80px",
      align: "end",
      from: "sm",
      cell: (row) => rateOf(row.after),
    },
    {
      id: "reason",
      header: texts.reason,
      width: "minmax(90px, 2fr)",
      from: "sm",
      cell: ({ after }) =>
        after?.failed.map(({ check, reason }) => `${check}: ${reason ?? ""}`).join("; ") ?? "",
    },
  ];
  return (
    <>
      <PageHeader
        title={texts.comparison}
        {...(up && { up })}
        lead={
          head.data &&
          texts.comparisonLead(
            formatInstant(head.data.before.started_at),
            formatInstant(head.data.after.started_at),
          )
        }
      />
      <Loaded query={head}>
        {({ counts, test, before: first, after: second }) => (
          <>
            <Figures
              figures={[
                { label: texts.before, value: shareOf(first.pass_rate) },
                { label: texts.after, value: shareOf(second.pass_rate) },
                { label: texts.changes.regressed, value: formatNumber(counts.regressed ?? 0) },
                { label: texts.changes.improved, value: formatNumber(counts.improved ?? 0) },
              ]}
            />
            <p className="ar-soft">{test.note}</p>
            <Panel title={texts.cases}>
              <search className="ar-eval-filters" aria-label={texts.show}>
                <SegmentedControl
                  aria-label={texts.change}
                  data={[
                    { value: "", label: texts.all },
                    ...changeKindsIn(counts).map((kind) => ({ value: kind, label: texts.changes[kind] })),
                  ]}
                  value={change}
                  onChange={setChange}
                />
                <TextInput
                  label={texts.search}
                  type="search"
                  autoComplete="off"
                  value={search}
                  onChange={(event) => setSearch(event.currentTarget.value)}
                />
              </search>
              <OffsetTable
                label={texts.cases}
                columns={columns}
                keyOf={(row) => JSON.stringify([row.case, row.target])}
                queryKey={[...evalKeys.run(id), "changes", before, change, search]}
                read={async (page) => ({
                  ...page,
                  ...(await daemon.compareEvalRuns(id, {
                    before,
                    ...page,
                    ...(change !== "" && { change }),
                    ...(search !== "" && { search }),
                  })),
                })}
                rowsOf={({ changes }) => changes}
                empty={<EmptyState text={texts.noChanges} />}
              />
            </Panel>
          </>
        )}
      </Loaded>
      {opened !== undefined && (
        <Dialog opened onClose={() => open(undefined)} size="xl" title={texts.diff(opened.case)}>
          <Sides change={opened} />
        </Dialog>
      )}
    </>
  );
}

/** Both answers, side by side, and their differences. */
function Sides({ change: { case: id, before, after } }: { change: Change }) {
  const [one, other] = [before?.response ?? "", after?.response ?? ""];
  return (
    <>
      <div className="ar-eval-sides">
        <SideView title={texts.before} side={before} />
        <SideView title={texts.after} side={after} />
      </div>
      {one === other ? (
        <p className="ar-soft ar-flat">{texts.sameAnswer}</p>
      ) : (
        <DiffView before={one} after={other} language="text" label={texts.diff(id)} />
      )}
    </>
  );
}

function SideView({ title, side }: { title: string; side: Side | undefined }) {
  return (
    <section aria-label={title}>
      <strong>{title}</strong> <span className="ar-soft">{rateOf(side)}</span>
      <div className="ar-eval-text">{side?.response ?? ""}</div>
      {side?.failed.map(({ check, reason }) => (
        <p key={check} className="ar-flat ar-break">
          <span className="ar-mono">{check}</span>: {reason ?? texts.failed}
        </p>
      ))}
    </section>
  );
}

const rateOf = (side: Side | undefined) =>
  side === undefined ? texts.missing : texts.rate(side.passed, side.of);

const shareOf = (rate: number | null) => (rate === null ? "–" : formatPercent(rate));

const changeKindsIn = (counts: EvalComparisonPage["counts"]) =>
  (
    ["regressed", "failing", "improved", "added", "removed", "passing"] as const satisfies typeof changeKinds
  ).filter((kind) => (counts[kind] ?? 0) > 0);
