import { Loader } from "@mantine/core";
import { runPartTexts as texts } from "../texts/runs.ts";
import { AnswerText } from "./answer-text.tsx";
import { RunMark } from "./run-mark.tsx";
import type { RunState } from "./run-state.ts";
import { ToolCallView } from "./tool-call-view.tsx";

interface RunPartsProps {
  state: Pick<RunState, "phase" | "parts">;
  isRaw: boolean;
}

/** All that a run has told so far, in order, and that more is to come. */
export function RunParts({ state: { phase, parts }, isRaw }: RunPartsProps) {
  return (
    <>
      {parts.map((part, at) => {
        // Parts only come after each other: their places are their names.
        const key = `${part.kind}-${at}`;
        if (part.kind === "tool") return <ToolCallView key={key} call={part} phase={phase} />;
        if (part.kind !== "text") return <RunMark key={key} mark={part} />;
        return <AnswerText key={key} text={part.text} isRaw={isRaw} />;
      })}
      {phase === "running" && (
        <div className="ar-working">
          <Loader size="xs" aria-hidden="true" />
          <span className="ar-soft">{texts.thinking}</span>
        </div>
      )}
    </>
  );
}
