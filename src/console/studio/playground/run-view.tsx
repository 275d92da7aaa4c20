import type { ToolCallResult } from "../../../contracts/daemon/runs/tool-calls.ts";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { RunFailureView } from "../../runs/run-failure-view.tsx";
import { RunParts } from "../../runs/run-parts.tsx";
import type { Decide, ShownRun } from "../../runs/run-state.ts";
import { playTexts as texts } from "../../texts/studio/runs.ts";
import { ApprovalPrompt } from "./approval-prompt.tsx";
import { ClientCallForm } from "./client-call-form.tsx";
import { TakenCallView } from "./taken-call-view.tsx";

interface RunViewProps {
  state: ShownRun;
  isRaw: boolean;
  decide: Decide;
  sendResult: (result: ToolCallResult) => void;
  /** Called when content that loaded later has made the run longer. */
  grown?: () => void;
}

/** The parts of a run so far, in order, and the prompt that it waits on. */
export function RunView({ state, isRaw, decide, sendResult, grown }: RunViewProps) {
  const { phase, awaited, refused, taken, failure, unrecorded } = state;
  return (
    <div className="ar-run" aria-busy={phase === "running"}>
      <RunParts state={state} isRaw={isRaw} />
      {awaited?.type === "approval_required" && (
        <ApprovalPrompt awaited={awaited} decide={decide} shown={grown} />
      )}
      {awaited?.type === "tool_result_required" && (
        <ClientCallForm awaited={awaited} sendResult={sendResult} />
      )}
      {refused !== undefined && <FailureView thrown={refused} title={texts.notAccepted} />}
      {taken !== undefined && <TakenCallView taken={taken} />}
      {phase === "stopped" && <p className="ar-mark ar-soft">{texts.stopped}</p>}
      {failure !== undefined && <RunFailureView thrown={failure.thrown} title={texts.failed} />}
      {unrecorded !== undefined && <p className="ar-mark ar-soft">{texts.unrecorded}</p>}
    </div>
  );
}
