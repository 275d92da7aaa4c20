import { Button, Menu, Progress, Stack } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useParams } from "wouter";
import type { EvalRunBrief, EvalRunDetail } from "../../../contracts/daemon/evals/eval-runs.ts";
import { saveFile } from "../../api/save-file.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatInstant, formatNumber } from "../../parts/text/format.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { evalTexts as texts } from "../../texts/studio/evals.ts";
import { useDaemon } from "../use-daemon.ts";
import { CaseGrid } from "./case-grid.tsx";
import { comparisonPath, evalKeys, evalPath, runTones } from "./eval-keys.ts";
import { ResultList } from "./result-list.tsx";
import { RunSummary } from "./run-summary.tsx";

export default function RunPage() {
  const { id = "" } = useParams();
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: evalKeys.run(id),
    queryFn: () => daemon.getEvalRun(id),
    // A run of another process sends no events here.
    refetchInterval: ({ state }) => (state.data?.elsewhere ? 3000 : false),
  });
  return (
    <>
      {query.data === undefined && (
        <PageHeader title={texts.title} up={{ href: "/studio/evals", label: texts.title }} />
      )}
      <Loaded query={query}>{(run) => <RunView run={run} />}</Loaded>
    </>
  );
}

const resumable: ReadonlySet<string> = new Set(["budget", "unpriced", "cancelled", "interrupted", "failed"]);

function RunView({ run }: { run: EvalRunDetail }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const live = useProgress(run);
  const { id, eval: name, agent } = run;
  const { status, finished, planned, failed, error } = live;
  const refresh = () => queries.invalidateQueries({ queryKey: evalKeys.all });
  const cancelling = useMutation({ mutationFn: () => daemon.cancelEvalRun(id), onSuccess: refresh });
  const resuming = useMutation({
    mutationFn: () => daemon.resumeEvalRun(id),
    async onSuccess() {
      notify(texts.resumed);
      await refresh();
    },
  });
  const progress = texts.progress(formatNumber(finished), formatNumber(planned), formatNumber(failed));
  const faults = [cancelling.error, resuming.error].filter((thrown) => thrown !== null);
  return (
    <>
      <PageHeader
        title={texts.runOf(name)}
        up={{ href: evalPath(name), label: name }}
        lead={`${formatInstant(run.started_at)} · ${texts.agent} ${agent} · ${id}`}
        mark={<StatusBadge tone={runTones[status]}>{texts.statuses[status]}</StatusBadge>}
      >
        {status === "running" && !run.elsewhere && (
          <Button variant="default" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
            {texts.cancel}
          </Button>
        )}
        {resumable.has(status) && (
          <Button variant="default" loading={resuming.isPending} onClick={() => resuming.mutate()}>
            {texts.resume}
          </Button>
        )}
        <EarlierRuns run={run} />
        <Reports id={id} />
      </PageHeader>
      {faults.map((thrown) => (
        <FailureView key={String(thrown)} thrown={thrown} />
      ))}
      {error !== undefined && <FailureView thrown={new Error(error.message)} title={texts.statuses.failed} />}
      {status === "running" && (
        <div>
          <Progress value={(100 * finished) / Math.max(1, planned)} aria-label={texts.progressLabel} />
          <p className="ar-soft ar-flat" aria-live="polite">
            {run.elsewhere ? texts.elsewhere : progress}
          </p>
        </div>
      )}
      <Stack gap="md">
        <RunSummary run={run} />
        {run.targets.length > 1 && <CaseGrid run={run} finished={finished} />}
        <ResultList run={run} finished={finished} />
      </Stack>
    </>
  );
}

/** The state of a run as it goes on. Its figures are read again when it has ended. */
function useProgress(run: EvalRunDetail): EvalRunBrief {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [live, setLive] = useState<EvalRunBrief>();
  const { id, status, elsewhere } = run;
  useEffect(() => {
    if (status !== "running" || elsewhere) return;
    const leaving = new AbortController();
    const follow = async () => {
      for await (const event of daemon.followEvalRun(id, leaving.signal)) setLive(event.run);
      setLive(undefined);
      await queries.invalidateQueries({ queryKey: evalKeys.all });
    };
    // If the stream breaks, the page reads the run again instead.
    follow().catch(() => {
      if (!leaving.signal.aborted) void queries.invalidateQueries({ queryKey: evalKeys.run(id) });
    });
    return () => leaving.abort();
  }, [daemon, queries, id, status, elsewhere]);
  return live ?? run;
}

function EarlierRuns({ run: { id, eval: name } }: { run: EvalRunDetail }) {
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: [...evalKeys.runs(name), "choice"],
    queryFn: () => daemon.listEvalRuns({ eval: name, limit: 20 }),
  });
  const others = (query.data?.runs ?? []).filter((other) => other.id < id);
  if (others.length === 0) return null;
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default">{texts.compare}</Button>
      </Menu.Target>
      <Menu.Dropdown aria-label={texts.compareWith}>
        {others.map((other) => (
          <Menu.Item key={other.id} component={Link} href={comparisonPath(other.id, id)}>
            {formatInstant(other.started_at)} · {texts.statuses[other.status]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

const reports = [
  { format: "html", label: texts.report, ending: "html", type: "text/html" },
  { format: "junit", label: texts.junit, ending: "xml", type: "application/xml" },
  { format: "json", label: texts.json, ending: "json", type: "application/json" },
] as const;

function Reports({ id }: { id: string }) {
  const daemon = useDaemon();
  const [failure, setFailure] = useState<unknown>();
  const save = async ({ format, ending, type }: (typeof reports)[number]) => {
    setFailure(undefined);
    try {
      saveFile(`${id}.${ending}`, type, await daemon.getEvalReport(id, format));
    } catch (thrown) {
      setFailure(thrown);
    }
  };
  return (
    <>
      {reports.map((report) => (
        <Button key={report.format} variant="default" onClick={() => void save(report)}>
          {report.label}
        </Button>
      ))}
      {failure !== undefined && <FailureView thrown={failure} />}
    </>
  );
}
