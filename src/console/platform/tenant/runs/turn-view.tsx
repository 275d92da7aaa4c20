import { Text } from "@mantine/core";
import type { ApprovalDecision } from "../../../../contracts/daemon/runs/approvals.ts";
import { refusalOf } from "../../../../contracts/refusal.ts";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { RunExtras } from "../../../runs/run-extras.tsx";
import { RunFailureView } from "../../../runs/run-failure-view.tsx";
import { RunParts } from "../../../runs/run-parts.tsx";
import type { ApprovalChoice } from "../../../runs/run-state.ts";
import { runTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { AwaitedDecision } from "./awaited-decision.tsx";
import { adviceFor } from "./run-advice.ts";
import type { ThreadTurn } from "./run-thread.ts";
import { TurnFooter } from "./turn-footer.tsx";

interface TurnViewProps {
  tenantId: string;
  agent: string;
  turn: ThreadTurn;
  decide: (tool: string, verdict: ApprovalChoice, request: ApprovalDecision) => void;
  /** Called when content that loaded later has made the turn longer. */
  grown: () => void;
}

/** A question, the frames of its run, and its end. */
export function TurnView({ tenantId, agent, turn: { query, run }, decide, grown }: TurnViewProps) {
  const { state, awaiting, result } = run;
  return (
    <article className="ar-panel ar-tn-turn">
      <div className="ar-tn-turn-query ar-break">{query}</div>
      <div className="ar-panel-body">
        <div className="ar-run" aria-busy={state.phase === "running"}>
          <RunParts state={state} isRaw={false} />
        </div>
        {awaiting !== undefined && (
          <AwaitedDecision tenantId={tenantId} awaiting={awaiting} decide={decide} shown={grown} />
        )}
        {state.refused !== undefined && <FailureView thrown={state.refused} title={texts.notAccepted} />}
        {state.taken !== undefined && <Text className="ar-soft">{texts.taken(state.taken.code)}</Text>}
        {state.phase === "stopped" && <Text className="ar-soft">{texts.stopped}</Text>}
        {state.phase === "failed" && state.failure !== undefined && <RunFailure {...state.failure} />}
        {result !== undefined && <RunExtras {...result} />}
        <TurnFooter tenantId={tenantId} agent={agent} query={query} run={run} />
      </div>
    </article>
  );
}

/** Shows the platform's error message, and advice for its code. */
function RunFailure({ code, thrown }: { code?: string; thrown: unknown }) {
  const refusal = refusalOf(thrown);
  const known = code ?? refusal?.code;
  return (
    <>
      <RunFailureView thrown={thrown} title={texts.failed} />
      {known !== undefined && (
        <Text mt={6} className="ar-soft">
          <span className="ar-mono">{known}</span> · {adviceFor(known)}
          {refusal?.retryAfterSeconds !== undefined && ` ${texts.retryAfter(refusal.retryAfterSeconds)}`}
        </Text>
      )}
    </>
  );
}
