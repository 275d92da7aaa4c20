import { memo } from "react";
import { Icon } from "../parts/icon.tsx";
import { formatDuration } from "../parts/text/format.ts";
import { JsonView } from "../parts/text/json-view.tsx";
import { StatusBadge, type Tone } from "../parts/text/status-badge.tsx";
import { runPartTexts as texts } from "../texts/runs.ts";
import type { ShownRun, ToolPart } from "./run-state.ts";

/** A tool call: its name, its input in one line, its outcome. Opened, it shows input and output in full. */
export const ToolCallView = memo(function ToolCallView({
  call,
  phase,
}: {
  call: ToolPart;
  phase: ShownRun["phase"];
}) {
  const { tool, input, output, beganMs, endedMs } = call;
  const [tone, word] = statusOf(call, phase);
  return (
    <details className="ar-tool">
      <summary>
        <Icon name="tool" size={14} />
        <span className="ar-tool-name ar-mono">{tool}</span>
        <span className="ar-tool-input ar-mono ar-soft">{inALine(input)}</span>
        <span className="ar-tool-end">
          {endedMs !== undefined && endedMs > beganMs && (
            <span className="ar-soft">{formatDuration(endedMs - beganMs)}</span>
          )}
          <StatusBadge tone={tone}>{word}</StatusBadge>
        </span>
      </summary>
      <div className="ar-tool-body">
        <div className="ar-label">{texts.toolInput}</div>
        <JsonView value={input} label={`${tool}: ${texts.toolInput}`} maxHeight={220} />
        {endedMs !== undefined && (
          <>
            <div className="ar-label">{texts.toolOutput}</div>
            <JsonView value={output} label={`${tool}: ${texts.toolOutput}`} />
          </>
        )}
      </div>
    </details>
  );
});

function statusOf({ endedMs, ok }: ToolPart, phase: ShownRun["phase"]): [Tone, string] {
  if (endedMs !== undefined) return ok ? ["good", texts.toolOk] : ["bad", texts.toolFailed];
  if (phase === "running") return ["accent", texts.toolRunning];
  if (phase === "waiting") return ["warn", texts.toolWaiting];
  return ["plain", phase === "taken" ? texts.toolTaken : texts.stopped];
}

const inALine = (input: Record<string, unknown>): string =>
  Object.entries(input)
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ")
    .slice(0, 200);
