import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import type { Trace } from "../../../contracts/daemon/runs/run.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { FailureView } from "../../parts/failure-view.tsx";
import { Figures } from "../../parts/figures.tsx";
import { formatDuration, formatInstant, formatNumber, formatUsd } from "../../parts/format.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { navTexts } from "../../texts/shell.ts";
import { traceTexts as texts } from "../../texts/studio-runs.ts";
import { exchangeOf, RunContent } from "./run-content.tsx";
import { SpanExplorer } from "./span-explorer.tsx";
import { sumSpans } from "./sum-spans.ts";
import { useTraceCassette } from "./use-trace-cassette.ts";

export default function TracePage() {
  const { id = "" } = useParams();
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "traces", "one", id], queryFn: () => daemon.getTrace(id) });
  const up = { href: "/studio/traces", label: navTexts.studio.traces };
  return (
    <>
      {query.data === undefined && <PageHead title={texts.title} up={up} />}
      <Loaded query={query}>{(trace) => <TraceView trace={trace} up={up} />}</Loaded>
    </>
  );
}

function TraceView({ trace, up }: { trace: Trace; up: { href: string; label: string } }) {
  const { agent, status, session_id: session, trace_id: id, start_time: start } = trace;
  const cassette = useTraceCassette(trace);
  const sums = sumSpans(trace.spans);
  const failure = trace.spans[0]?.attributes.reason;
  const recording = `/studio/recordings/${encodeURIComponent(id)}`;
  const exchange = exchangeOf(trace, cassette.data);
  const question = exchange?.question;
  const asking = new URLSearchParams({ agent, ...(question === undefined ? {} : { query: question }) });
  return (
    <>
      <PageHead
        title={texts.traceTitle(agent)}
        up={up}
        lead={`${formatInstant(start)} · ${id}`}
        mark={
          <StatusBadge tone={status === "OK" ? "good" : "bad"}>
            {status === "OK" ? texts.ok : texts.error}
          </StatusBadge>
        }
      >
        <Button variant="default" component={Link} href={`/studio/playground?${asking}`}>
          {texts.askAgain}
        </Button>
        <Button
          variant="default"
          component={Link}
          href={`/studio/memory/${encodeURIComponent(agent)}/${encodeURIComponent(session)}`}
        >
          {texts.sessionMemory}
        </Button>
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
      </PageHead>
      {typeof failure === "string" && <FailureView thrown={new Error(failure)} title={texts.failed} />}
      {!cassette.isLoading && <RunContent exchange={exchange} />}
      <Figures
        figures={[
          { label: texts.duration, value: formatDuration(trace.duration_ms) },
          {
            label: texts.tokens,
            value: formatNumber(sums.inputTokens + sums.outputTokens),
            note: texts.tokensNote(formatNumber(sums.inputTokens), formatNumber(sums.outputTokens)),
          },
          { label: texts.cost, value: sums.costUsd === undefined ? "–" : formatUsd(sums.costUsd) },
          { label: texts.modelCalls, value: formatNumber(sums.modelCalls) },
          { label: texts.toolCalls, value: formatNumber(sums.toolCalls) },
        ]}
      />
      <SpanExplorer trace={trace} cassette={cassette} />
    </>
  );
}
