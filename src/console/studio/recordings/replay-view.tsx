import { Button, Switch } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ReplayAnswer } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { useDaemon } from "../../api/use-server.tsx";
import { FailureView } from "../../parts/failure-view.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { recordingTexts as texts } from "../../texts/studio-runs.ts";
import { DivergenceView } from "./divergence-view.tsx";
import { WarningList } from "./warning-list.tsx";

/** Replays a recording, and shows whether the run still matches it. */
export function ReplayView({ id }: { id: string }) {
  const daemon = useDaemon();
  const [strict, setStrict] = useState(false);
  const replay = useMutation({
    mutationFn: () => daemon.replayCassette(id, strict ? { strict } : {}),
  });
  return (
    <div className="ar-stack">
      <Panel title={texts.replay}>
        <p className="ar-soft ar-flat">{texts.replayHint}</p>
        <div className="ar-form-row">
          <Switch
            label={texts.strict}
            checked={strict}
            onChange={(event) => setStrict(event.currentTarget.checked)}
          />
          <Button loading={replay.isPending} onClick={() => replay.mutate()}>
            {texts.playIt}
          </Button>
        </div>
      </Panel>
      {replay.isError && <FailureView thrown={replay.error} />}
      {replay.data !== undefined && <ReplayResult report={replay.data} />}
    </div>
  );
}

function ReplayResult({ report }: { report: ReplayAnswer }) {
  if (report.mode !== "replay") return null;
  const { identical, replayed, divergence, warnings } = report;
  return (
    <div aria-live="polite" className="ar-stack">
      <div className="ar-panel ar-panel-body">
        <div className="ar-mark">
          <StatusBadge tone={identical ? "good" : "warn"}>
            {identical ? texts.identical : texts.different}
          </StatusBadge>
          {identical && (
            <span>{texts.identicalText(replayed.model_calls, replayed.tool_calls, replayed.events)}</span>
          )}
        </div>
      </div>
      {divergence !== undefined && <DivergenceView divergence={divergence} />}
      <WarningList warnings={warnings} />
    </div>
  );
}
