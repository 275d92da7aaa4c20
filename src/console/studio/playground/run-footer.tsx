import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import { formatDuration, formatNumber } from "../../parts/text/format.ts";
import { figureCost, traceCost } from "../../parts/text/money.ts";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import type { RunFailure, ShownRun } from "../../runs/run-state.ts";
import { playTexts as texts } from "../../texts/studio/runs.ts";
import { JudgeAnswer } from "../traces/judge-answer.tsx";
import { runNumbers } from "./lanes/compare-runs.ts";
import { useTraceCost } from "./use-trace-cost.ts";

interface RunFooterProps {
  state: ShownRun;
  isOverridden: boolean;
  /** The session, to find the trace of a run without a result. */
  session: string | undefined;
}

/** Time, tokens, cost and model of an answer, with links to its trace and recording. */
export function RunFooter({ state, isOverridden, session }: RunFooterProps) {
  const { done } = state;
  const cost = useTraceCost(done?.trace_id);
  if (done === undefined) {
    return state.failure === undefined ? null : <FailureFooter failure={state.failure} session={session} />;
  }
  const { metadata, usage, timing, trace_id: trace, cassette, cassette_error: unkept } = done;
  return (
    <div className="ar-run-foot">
      <span className="ar-break">
        {metadata.provider}/{metadata.model}
      </span>
      {metadata.simulated && <StatusBadge tone="warn">{texts.simulated}</StatusBadge>}
      {isOverridden && <StatusBadge tone="accent">{texts.overridden}</StatusBadge>}
      <span>{formatDuration(runNumbers(state).totalMs ?? timing.total_ms)}</span>
      <span title={texts.tokensOf(formatNumber(usage.input_tokens), formatNumber(usage.output_tokens))}>
        {formatNumber(usage.total_tokens)} {texts.tokens}
      </span>
      {cost !== undefined && <span>{texts.costOf(traceCost(cost, figureCost))}</span>}
      <RunLinks trace={trace} cassette={cassette} />
      <JudgeAnswer trace={trace} answer={done.response} />
      {unkept !== undefined && (
        <span className="ar-break">
          {texts.notKept}: {unkept}
        </span>
      )}
    </div>
  );
}

/** Links a failed run with its trace; a run that failed before it had one, with those of its session. */
function FailureFooter({ failure, session }: { failure: RunFailure; session: string | undefined }) {
  const { traceId, cassette } = failure;
  if (traceId === undefined && session === undefined) return null;
  return (
    <div className="ar-run-foot">
      {traceId !== undefined ? (
        <RunLinks trace={traceId} cassette={cassette} />
      ) : (
        <span className="ar-run-links">
          <Anchor component={Link} href={`/studio/traces?session=${encodeURIComponent(session ?? "")}`}>
            {texts.failedTrace}
          </Anchor>
        </span>
      )}
    </div>
  );
}

/** Links to a run's trace and, of a recorded run, to what its model saw and to the recording. */
function RunLinks({ trace, cassette }: { trace: string; cassette: string | undefined }) {
  const traceHref = `/studio/traces/${encodeURIComponent(trace)}`;
  return (
    <span className="ar-run-links">
      <Anchor component={Link} href={traceHref}>
        {texts.trace}
      </Anchor>
      {cassette !== undefined && (
        <>
          <Anchor component={Link} href={`${traceHref}?span=first-call`}>
            {texts.saw}
          </Anchor>
          <Anchor component={Link} href={`/studio/recordings/${encodeURIComponent(cassette)}`}>
            {texts.recording}
          </Anchor>
        </>
      )}
    </span>
  );
}
