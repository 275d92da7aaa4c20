import { Alert, Button, Progress } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { HostedEvalRun } from "../../contracts/evals/hosted-evals.ts";
import { Facts } from "../parts/layout/facts.tsx";
import { PageHeader } from "../parts/layout/page-header.tsx";
import { Panel } from "../parts/layout/panel.tsx";
import { notify } from "../parts/notices.tsx";
import { FailureView } from "../parts/states/failure-view.tsx";
import { Loaded } from "../parts/states/loaded.tsx";
import { formatInstant, formatNumber, formatPercent } from "../parts/text/format.ts";
import { StatusBadge } from "../parts/text/status-badge.tsx";
import { hostedEvalTexts as texts } from "../texts/hosted-evals.ts";
import { type EvalHost, evalRunTones } from "./eval-host.ts";
import { EvalResults } from "./eval-results.tsx";

/** A run under way is read again this often; an ended one is not. */
const everyMs = 1000;

/** The page of a run: its figures and results, and how far it is. */
export function EvalRunView<Run extends HostedEvalRun>({ host }: { host: EvalHost<Run> }) {
  const { id = "" } = useParams<{ id: string }>();
  const query = useQuery({
    queryKey: host.keys.run(id),
    queryFn: () => host.calls.getEvalRun(id),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? everyMs : false),
  });
  return <Loaded query={query}>{(run) => <LoadedRun host={host} run={run} />}</Loaded>;
}

function LoadedRun<Run extends HostedEvalRun>({ host, run }: { host: EvalHost<Run>; run: Run }) {
  const queries = useQueryClient();
  const { id, status, finished, planned, passed, interval, error } = run;
  const isOpen = run.ended_at === null;
  const cancelling = useMutation({
    mutationFn: () => host.calls.cancelEvalRun(id),
    async onSuccess() {
      notify(texts.cancelled);
      await queries.invalidateQueries({ queryKey: host.keys.all });
    },
  });
  const [low, high] = interval ?? [];
  const rate = run.pass_rate === null ? "–" : formatPercent(run.pass_rate);
  const within =
    low === undefined || high === undefined ? "" : texts.interval(formatPercent(low), formatPercent(high));
  return (
    <>
      <PageHeader
        title={texts.runOf(run.eval)}
        up={{ href: host.paths.evals, label: texts.title }}
        lead={`${formatInstant(run.created_at)} · ${run.agent}, ${host.versionOf(run)}`}
        mark={<StatusBadge tone={evalRunTones[status]}>{texts.statuses[status]}</StatusBadge>}
      >
        {isOpen && (
          <Button variant="default" loading={cancelling.isPending} onClick={() => cancelling.mutate()}>
            {texts.cancel}
          </Button>
        )}
      </PageHeader>
      <div className="ar-stack">
        {cancelling.error !== null && <FailureView thrown={cancelling.error} />}
        {error !== undefined && (
          <Alert color="red" variant="outline" className="ar-failure" role="note" title={error.error}>
            {error.message}
          </Alert>
        )}
        {run.simulated && (
          <Alert color="brass" variant="light" role="note">
            {texts.simulated}
          </Alert>
        )}
        <Panel title={texts.passRate}>
          {isOpen && (
            <Progress
              value={(100 * finished) / Math.max(1, planned)}
              aria-label={texts.progress(formatNumber(finished), formatNumber(planned))}
            />
          )}
          <Facts
            across
            facts={[
              { label: texts.passRate, value: `${rate} ${within}`.trim() },
              { label: texts.passedHead, value: texts.passedOf(formatNumber(passed), formatNumber(planned)) },
              { label: host.spent.label, value: host.spent.of(run) },
            ]}
          />
        </Panel>
        <EvalResults host={host} run={run} />
      </div>
    </>
  );
}
