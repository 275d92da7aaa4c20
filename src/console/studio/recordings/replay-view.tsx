import { Button, Switch, Title } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Divergence, ReplayAnswer } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { JsonView } from "../../parts/text/json-view.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { recordingTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";
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

/** The first difference between a run and its recording: the recorded and the new value. */
function DivergenceView({ divergence }: { divergence: Divergence }) {
  const { at, message, difference, agent, role } = divergence;
  const expected = difference?.expected ?? divergence.expected;
  const got = difference?.got ?? divergence.got;
  const who = [agent, role].filter((part) => part !== undefined).join(" · ");
  return (
    <Panel title={texts.whats[at]} actions={who !== "" && <span className="ar-soft">{who}</span>}>
      <p className="ar-flat ar-break">{message}</p>
      {difference !== undefined && (
        <p className="ar-soft ar-flat">
          {texts.where}: <span className="ar-mono ar-break">{difference.path}</span>
          {difference.character !== undefined && `, ${texts.character(difference.character)}`}
        </p>
      )}
      <div className="ar-columns ar-sides">
        {expected !== undefined && <SideView title={texts.expected} value={expected} />}
        {got !== undefined && <SideView title={texts.got} value={got} />}
      </div>
    </Panel>
  );
}

function SideView({ title, value }: { title: string; value: unknown }) {
  return (
    <div>
      <Title order={3} size="h4" mb={4}>
        {title}
      </Title>
      <JsonView value={value} label={title} />
    </div>
  );
}
