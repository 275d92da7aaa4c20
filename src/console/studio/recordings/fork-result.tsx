import { Anchor, Title } from "@mantine/core";
import { Link } from "wouter";
import type { CassetteOutcome } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { ForkReport } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { DiffView } from "../../editor/diff-view.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { formatDuration, formatNumber } from "../../parts/text/format.ts";
import { Markdown } from "../../parts/text/markdown.tsx";
import { recordingTexts as texts } from "../../texts/studio/runs.ts";
import { outcomeNumbers, outcomeText } from "./outcome.ts";
import { WarningList } from "./warning-list.tsx";

/** The recorded answer and the fork's, side by side, with their differences. */
export function ForkResult({ report }: { report: ForkReport }) {
  const { played, live, recorded, outcome, warnings, recording, recording_error: unkept } = report;
  const [before, after] = [outcomeText(recorded), outcomeText(outcome)];
  return (
    <div className="ar-stack" aria-live="polite">
      <Panel
        title={texts.forkDone}
        actions={
          recording !== undefined && (
            <Anchor component={Link} href={`/studio/recordings/${encodeURIComponent(recording)}`}>
              {texts.forkRecording}
            </Anchor>
          )
        }
      >
        <p className="ar-soft ar-flat">
          {texts.played(played.model_calls, played.tool_calls)}{" "}
          {texts.live(live.model_calls, live.tool_calls)}
          {live.tools_refused > 0 && ` ${texts.refused(live.tools_refused)}.`}
        </p>
        {unkept !== undefined && <p className="ar-flat ar-break">{unkept}</p>}
        <div className="ar-columns ar-sides">
          <OutcomeView title={texts.answer} outcome={recorded} />
          <OutcomeView title={texts.forked} outcome={outcome} />
        </div>
        {before === after ? (
          <p className="ar-soft ar-flat">{texts.sameAnswer}</p>
        ) : (
          <details className="ar-step">
            <summary>{texts.differencesHint}</summary>
            <div className="ar-tool-body">
              <DiffView before={before} after={after} language="text" label={texts.differencesHint} />
            </div>
          </details>
        )}
      </Panel>
      <WarningList warnings={warnings} />
    </div>
  );
}

function OutcomeView({ title, outcome }: { title: string; outcome: CassetteOutcome }) {
  const { model, tokens, totalMs } = outcomeNumbers(outcome);
  const facts = [
    model,
    tokens === undefined ? undefined : `${formatNumber(tokens)} ${texts.tokens.toLowerCase()}`,
    totalMs === undefined ? undefined : formatDuration(totalMs),
  ].filter((fact) => fact !== undefined);
  return (
    <section className="ar-outcome">
      <Title order={3} size="h4">
        {title}
      </Title>
      <Markdown text={outcomeText(outcome)} />
      {facts.length > 0 && <div className="ar-soft ar-outcome-facts">{facts.join(" · ")}</div>}
    </section>
  );
}
