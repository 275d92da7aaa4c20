import { Loader } from "@mantine/core";
import { AnswerText } from "../../../studio/playground/answer-text.tsx";
import { RunMark } from "../../../studio/playground/run-mark.tsx";
import type { RunState } from "../../../studio/playground/run-state.ts";
import { ToolCallView } from "../../../studio/playground/tool-call-view.tsx";
import { runTexts as texts } from "../../../texts/platform-tenant.ts";

/** All that a run has told so far, in order: text, calls with their times, steps, marks. */
export function ToldParts({ told: { phase, parts } }: { told: RunState }) {
  const isRunning = phase === "running";
  return (
    <div className="ar-run" aria-busy={isRunning}>
      {parts.map((part, at) => {
        // Parts only come after each other: their places are their names.
        const key = `${part.kind}-${at}`;
        if (part.kind === "tool") return <ToolCallView key={key} call={part} phase={phase} />;
        if (part.kind !== "text") return <RunMark key={key} mark={part} />;
        return <AnswerText key={key} text={part.text} isRaw={false} />;
      })}
      {isRunning && (
        <div className="ar-working">
          <Loader size="xs" aria-hidden="true" />
          <span className="ar-soft">{texts.running}</span>
        </div>
      )}
    </div>
  );
}
