import { Stack } from "@mantine/core";
import type { ToolExecuted } from "../../../contracts/daemon/tools.ts";
import { formatDuration } from "../../parts/format.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { toolTexts as texts } from "../../texts/studio-parts.ts";

/** The result of a tool, and its duration. */
export function ToolResultView({ executed: { output, timing_ms, propuestas } }: { executed: ToolExecuted }) {
  return (
    <Stack gap="sm">
      <div className="ar-tool-run">
        <StatusBadge tone={output.success ? "good" : "bad"}>
          {output.success ? texts.ok : texts.failed}
        </StatusBadge>
        <span className="ar-soft">{texts.took(formatDuration(timing_ms))}</span>
      </div>
      {output.success ? (
        <JsonView value={output.data ?? null} label={texts.result} maxHeight={480} />
      ) : (
        <div className="ar-break">{output.error}</div>
      )}
      {propuestas !== undefined && propuestas.length > 0 && (
        <>
          <span>{texts.proposals}</span>
          <JsonView value={propuestas} label={texts.proposals} />
        </>
      )}
    </Stack>
  );
}
