import { Button } from "@mantine/core";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import type { Cassette } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { entryAttribute } from "../../../contracts/daemon/cassettes/recorded-call.ts";
import type { Trace } from "../../../contracts/daemon/runs/run.ts";
import type { JudgedTrace } from "../../../contracts/daemon/runs/traces.ts";
import { runFailure } from "../../../contracts/refusal.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Figures } from "../../parts/layout/figures.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatDuration, formatInstant, formatNumber } from "../../parts/text/format.ts";
import { IdText } from "../../parts/text/id-text.tsx";
import { figureCost, traceCost } from "../../parts/text/money.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { useSession } from "../../session/session.tsx";
import { TenantName } from "../../tenants/tenant-name.tsx";
import { studioTexts } from "../../texts/studio/navigation.ts";
import { traceTexts as texts } from "../../texts/studio/runs.ts";
import { AddToEval } from "../evals/add-to-eval.tsx";
import { useDaemon } from "../use-daemon.ts";
import { FeedbackPanel } from "./feedback-panel.tsx";
import { exchangeOf, RunContent } from "./run-content.tsx";
import { SpanExplorer } from "./span-explorer.tsx";
import { spanTotals } from "./span-totals.ts";
import { tracesHref } from "./trace-query.ts";

export default function TracePage() {
  const { id = "" } = useParams();
  const daemon = useDaemon();
  const [tenant] = useUrlState("tenant");
  const query = useQuery({
    queryKey: ["daemon", "traces", "one", id, tenant],
    queryFn: () => daemon.getTrace(id, tenant === "" ? {} : { tenant }),
  });
  const up = { href: tracesHref({ tenant }), label: studioTexts.traces };
  return (
    <>
      {query.data === undefined && <PageHeader title={texts.title} up={up} />}
      <Loaded query={query}>{(trace) => <TraceView trace={trace} tenant={tenant} up={up} />}</Loaded>
    </>
  );
}

/** Why the run failed, with what the last provider said; undefined if it did not fail. */
function failureOf({ spans }: JudgedTrace): ReturnType<typeof runFailure> | undefined {
  const { error, reason } = spans[0]?.attributes ?? {};
  if (typeof reason !== "string") return undefined;
  const said = spans.findLast(({ attributes }) => attributes.provider_message !== undefined);
  const message = said?.attributes.provider_message;
  return runFailure(String(error), reason, typeof message === "string" ? message : undefined);
}

interface TraceViewProps {
  trace: JudgedTrace;
  /** Whose run it was; "" for the daemon's own. */
  tenant: string;
  up: { href: string; label: string };
}

function TraceView({ trace, tenant, up }: TraceViewProps) {
  const { agent, status, session_id: session, trace_id: id, start_time: start } = trace;
  const { signedIn } = useSession();
  const cassette = useTraceCassette(trace);
  const sums = spanTotals(trace.spans);
  const failure = failureOf(trace);
  const recording = `/studio/recordings/${encodeURIComponent(id)}`;
  const exchange = exchangeOf(trace, cassette.data);
  const question = exchange?.question;
  const asking = new URLSearchParams({ agent, ...(question === undefined ? {} : { query: question }) });
  return (
    <>
      <PageHeader
        title={texts.traceTitle(agent)}
        up={up}
        lead={
          <>
            {formatInstant(start)} ·{" "}
            {tenant !== "" && (
              <>
                <TenantName id={tenant} /> ·{" "}
              </>
            )}
            <IdText id={id} />
          </>
        }
        mark={
          <StatusBadge tone={status === "OK" ? "good" : "bad"}>
            {status === "OK" ? texts.ok : texts.error}
          </StatusBadge>
        }
      >
        {tenant === "" && (
          <>
            <Button variant="default" component={Link} href={`/studio/playground?${asking}`}>
              {texts.askAgain}
            </Button>
            <AddToEval trace={id} />
            <Button
              variant="default"
              component={Link}
              href={`/studio/memory/${encodeURIComponent(agent)}/${encodeURIComponent(session)}`}
            >
              {texts.sessionMemory}
            </Button>
          </>
        )}
        {signedIn.local && (
          <Button
            variant="default"
            component={Link}
            href={`/operations/logs?${new URLSearchParams({ text: id })}`}
          >
            {texts.logLines}
          </Button>
        )}
        {cassette.data !== undefined && cassette.data !== null && (
          <>
            <Button variant="default" component={Link} href={recording}>
              {texts.recording}
            </Button>
            <Button variant="default" component={Link} href={`${recording}?tab=replay`}>
              {texts.replay}
            </Button>
          </>
        )}
      </PageHeader>
      {failure !== undefined && <FailureView thrown={failure} title={texts.failed} />}
      {!cassette.isLoading && <RunContent exchange={exchange} />}
      <Figures
        figures={[
          { label: texts.duration, value: formatDuration(trace.duration_ms) },
          {
            label: texts.tokens,
            value: formatNumber(sums.inputTokens + sums.outputTokens),
            note: texts.tokensNote(formatNumber(sums.inputTokens), formatNumber(sums.outputTokens)),
          },
          { label: texts.cost, value: traceCost(sums.cost, figureCost) },
          { label: texts.modelCalls, value: formatNumber(sums.modelCalls) },
          { label: texts.toolCalls, value: formatNumber(sums.toolCalls) },
        ]}
      />
      <SpanExplorer trace={trace} cassette={cassette} />
      {tenant === "" && <FeedbackPanel key={trace.feedback?.at} trace={trace} />}
    </>
  );
}

/** The recording of a run; null if it no longer exists. Not fetched if the run was not recorded. */
function useTraceCassette({ trace_id: id, spans }: Trace): UseQueryResult<Cassette | null> {
  const daemon = useDaemon();
  return useQuery({
    queryKey: ["daemon", "cassettes", "of-trace", id],
    queryFn: async () => {
      const { cassettes } = await daemon.listCassettes({ trace_id: id });
      const [found] = cassettes;
      return found === undefined ? null : daemon.getCassette(found.id);
    },
    enabled: spans.some(({ attributes }) => entryAttribute in attributes),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
