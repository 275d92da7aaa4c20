import { Loader } from "@mantine/core";
import type { ToolCallResult } from "../../../contracts/daemon/tool-calls.ts";
import { FailureView } from "../../parts/failure-view.tsx";
import { playTexts as texts } from "../../texts/studio-runs.ts";
import { AnswerText } from "./answer-text.tsx";
import { ApprovalPrompt } from "./approval-prompt.tsx";
import { ClientCallForm } from "./client-call-form.tsx";
import { RunMark } from "./run-mark.tsx";
import type { RunState, Verdict } from "./run-state.ts";
import { ToolCallView } from "./tool-call-view.tsx";

interface RunViewProps {
  state: RunState;
  isRaw: boolean;
  decide: (verdict: Verdict, comment: string) => void;
  handIn: (result: ToolCallResult) => void;
  /** Has grown by what was asked for after it was drawn. */
  grown?: () => void;
}

/** All that a run has told so far, in order, and what it waits for. */
export function RunView({ state, isRaw, decide, handIn, grown }: RunViewProps) {
  const { phase, parts, awaited, failure, unrecorded } = state;
  const isRunning = phase === "running";
  return (
    <div className="ar-run" aria-busy={isRunning}>
      {parts.map((part, at) => {
        // Parts only come after each other: their places are their names.
        const key = `${part.kind}-${at}`;
        if (part.kind === "tool") return <ToolCallView key={key} call={part} phase={phase} />;
        if (part.kind !== "text") return <RunMark key={key} mark={part} />;
        return <AnswerText key={key} text={part.text} isRaw={isRaw} />;
      })}
      {isRunning && (
        <div className="ar-working">
          <Loader size="xs" aria-hidden="true" />
          <span className="ar-soft">{texts.thinking}</span>
        </div>
      )}
      {awaited?.type === "approval_required" && (
        <ApprovalPrompt awaited={awaited} decide={decide} shown={grown} />
      )}
      {awaited?.type === "tool_result_required" && <ClientCallForm awaited={awaited} handIn={handIn} />}
      {phase === "stopped" && <p className="ar-mark ar-soft">{texts.stopped}</p>}
      {failure !== undefined && <FailureView thrown={failure.thrown} title={texts.failed} />}
      {unrecorded !== undefined && <p className="ar-mark ar-soft">{texts.unrecorded}</p>}
    </div>
  );
}
