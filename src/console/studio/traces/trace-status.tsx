import type { ListedTrace } from "../../../contracts/daemon/runs/traces.ts";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { traceTexts as texts } from "../../texts/studio-runs.ts";

/** A run that ends with one of these codes continues in another run. */
const pauses: ReadonlySet<string> = new Set(["approval_required", "tool_result_required"]);

/** The status of a run, and whether its agent was overridden. */
export function TraceStatus({ trace: { status, summary } }: { trace: ListedTrace }) {
  const { error, reason, overridden } = summary;
  const isPaused = error !== undefined && pauses.has(error);
  return (
    <>
      {isPaused ? (
        <span title={texts.pausedHint}>
          <StatusBadge tone="warn">{texts.paused}</StatusBadge>
        </span>
      ) : (
        <StatusBadge tone={status === "OK" ? "good" : "bad"}>
          {status === "OK" ? texts.ok : texts.error}
        </StatusBadge>
      )}{" "}
      {overridden !== undefined && <StatusBadge tone="accent">{texts.overridden}</StatusBadge>}{" "}
      {error !== undefined && !isPaused && (
        <span className="ar-soft" title={reason}>
          {error}
        </span>
      )}
    </>
  );
}
