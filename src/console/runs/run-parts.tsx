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

/** The parts of a run so far, in order, and a sign that more will come. */
export function RunParts({ state: { phase, parts }, isRaw }: RunPartsProps) {
  return (
    <>
      {parts.map((part, at) => {
        // Parts are only appended, so their index is a stable key.
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
