import { Alert, Button, Progress } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { PlatformEvalRunDetail } from "../../../../contracts/platform/evals.ts";
import { Facts } from "../../../parts/layout/facts.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { formatCredits, formatInstant, formatNumber, formatPercent } from "../../../parts/text/format.ts";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { tenantEvalTexts as texts } from "../../../texts/platform/tenant-evals.ts";
import { usePlatform } from "../../use-platform.ts";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { EvalResults } from "./eval-results.tsx";
import { askedVersion, evalRunTones, tenantEvalKeys } from "./tenant-eval-keys.ts";

export default tenantPage(EvalRunPage);

/** A run under way is read again this often; an ended one is not. */
const everyMs = 1000;

function EvalRunPage({ tenant }: TenantPageProps) {
  const { id = "" } = useParams<{ id: string }>();
  const platform = usePlatform(tenant.id);
  const query = useQuery({
    queryKey: tenantEvalKeys(tenant.id).run(id),
    queryFn: () => platform.getEvalRun(id),
    refetchInterval: ({ state }) => (state.data?.ended_at === null ? everyMs : false),
  });
  return <Loaded query={query}>{(run) => <EvalRunView tenantId={tenant.id} run={run} />}</Loaded>;
}

function EvalRunView({ tenantId, run }: { tenantId: string; run: PlatformEvalRunDetail }) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const { id, status, finished, planned, passed, interval, error } = run;
  const isOpen = run.ended_at === null;
  const cancelling = useMutation({
    mutationFn: () => platform.cancelEvalRun(id),
    async onSuccess() {
      notify(texts.cancelled);
      await queries.invalidateQueries({ queryKey: tenantEvalKeys(tenantId).all });
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
        up={{ href: tenantPaths(tenantId).evals, label: texts.title }}
        lead={`${formatInstant(run.created_at)} · ${run.agent}, ${askedVersion(run)}`}
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
              { label: texts.credits, value: formatCredits(run.credits_charged_micros) },
            ]}
          />
        </Panel>
        <EvalResults tenantId={tenantId} run={run} />
      </div>
    </>
  );
}
