import { Loader } from "@mantine/core";
import { memo } from "react";
import { Markdown } from "../parts/text/markdown.tsx";
import { runPartTexts as texts } from "../texts/runs.ts";
import { RunEventView } from "./run-event-view.tsx";
import type { ShownRun } from "./run-state.ts";
import { splitBlocks } from "./split-blocks.ts";
import { ToolCallView } from "./tool-call-view.tsx";

interface RunPartsProps {
  state: Pick<ShownRun, "phase" | "parts">;
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
        if (part.kind !== "text") return <RunEventView key={key} mark={part} />;
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

interface AnswerTextProps {
  text: string;
  isRaw: boolean;
}

/** A piece of an answer, block by block: while it grows, only the last block is rendered again. */
const AnswerText = memo(function AnswerText({ text, isRaw }: AnswerTextProps) {
  if (isRaw) return <pre className="ar-raw">{text}</pre>;
  return (
    <div className="ar-growing">
      {splitBlocks(text).map((block, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a text only grows at its end
        <Block key={at} text={block} />
      ))}
    </div>
  );
});

const Block = memo(Markdown);
