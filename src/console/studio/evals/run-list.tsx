import { Anchor, Button, Stack } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { EvalRunBrief } from "../../../contracts/daemon/evals/eval-runs.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { cursorPages, readNextPage } from "../../parts/tables/list-pages.ts";
import { NextPageFailure } from "../../parts/tables/next-page.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { formatNumber, formatPercent } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { costOfUsd, rowCost } from "../../parts/text/money.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { historyKey } from "../agents/history/restore-dialog.tsx";
import { useDaemon } from "../use-daemon.ts";
import { comparisonPath, evalKeys, evalRunPath, runTones } from "./eval-keys.ts";
import { hasSameVersion, versionOf } from "./run-versions.ts";
import { ScoreChart } from "./trend.tsx";

type Row = EvalRunBrief & { earlier: string | undefined; version: string; isNewVersion: boolean };

const columns: readonly PlainColumn<Row>[] = [
  {
    id: "started",
    header: texts.started,
    cell: ({ id, started_at }) => (
      <Anchor component={Link} href={evalRunPath(id)}>
        <Instant iso={started_at} />
      </Anchor>
    ),
  },
  {
    id: "status",
    header: texts.status,
    cell: ({ status }) => <StatusBadge tone={runTones[status]}>{texts.statuses[status]}</StatusBadge>,
  },
  {
    id: "score",
    header: texts.mean,
    align: "end",
    cell: ({ pass_rate: rate }) => (rate === null ? "–" : formatPercent(rate)),
  },
  {
    id: "version",
    header: texts.version,
    from: "sm",
    cell: ({ version, isNewVersion }) => (isNewVersion ? <b>{version}</b> : version),
  },
  {
    id: "failed",
    header: texts.failed,
    align: "end",
    from: "sm",
    cell: ({ failed, finished }) => texts.failedOf(formatNumber(failed), formatNumber(finished)),
  },
  {
    id: "cost",
    header: texts.cost,
    align: "decimal",
    from: "md",
    cell: ({ spent_usd: usd, unpriced }) => rowCost(costOfUsd(usd, unpriced)),
  },
  {
    id: "compare",
    header: texts.compare,
    hidesHeader: true,
    align: "end",
    from: "sm",
    cell: ({ id, earlier }) =>
      earlier !== undefined && (
        <Anchor component={Link} href={comparisonPath(earlier, id)}>
          {texts.compare}
        </Anchor>
      ),
  },
];

const pageRows = 20;

/** The runs of an eval and their scores over time. */
export function RunList({ name }: { name: string }) {
  const daemon = useDaemon();
  const query = useInfiniteQuery({
    ...cursorPages(evalKeys.runs(name), (page) => daemon.listEvalRuns({ eval: name, ...page }), pageRows),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ runs }) => runs.some(({ status }) => status === "running")) ? 2000 : false,
  });
  // Of the newest run: the command line may choose another agent than the file's.
  const agent = query.data?.pages[0]?.runs[0]?.agent;
  const history = useQuery({
    queryKey: historyKey(agent ?? ""),
    queryFn: () => daemon.listManifestVersions(agent ?? ""),
    enabled: agent !== undefined,
    // An agent that was deleted has no versions.
    retry: false,
  });
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const runs = pages.flatMap((page) => page.runs);
        const versions = history.data?.versions ?? [];
        const rows = runs.map((run, at): Row => {
          const earlier = runs[at + 1];
          const isNewVersion = earlier !== undefined && !hasSameVersion(earlier, run);
          return { ...run, earlier: earlier?.id, version: versionOf(run, versions).label, isNewVersion };
        });
        return (
          <Stack gap="md">
            <ScoreChart runs={runs} versions={versions} />
            <Panel title={texts.runs} flush={rows.length > 0}>
              <PlainTable
                label={texts.runs}
                columns={columns}
                rows={rows}
                keyOf={({ id }) => id}
                empty={<EmptyState text={texts.noRuns} />}
              />
              <NextPageFailure query={query} />
              {query.hasNextPage && (
                <Button
                  variant="subtle"
                  loading={query.isFetchingNextPage}
                  onClick={() => void readNextPage(query)}
                >
                  {texts.moreRuns}
                </Button>
              )}
            </Panel>
          </Stack>
        );
      }}
    </Loaded>
  );
}
