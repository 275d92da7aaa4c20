import { VisuallyHidden } from "@mantine/core";
import { memo } from "react";
import { playTexts as texts } from "../../texts/studio-runs.ts";
import { ComparedNumbers } from "./compared-numbers.tsx";
import type { Conversation, PlayedRun, Round } from "./conversation.ts";
import { RunExtras } from "./run-extras.tsx";
import { RunFoot } from "./run-foot.tsx";
import { RunView } from "./run-view.tsx";

interface RoundViewProps {
  round: Round;
  isRaw: boolean;
  conversation: Conversation;
  /** Has grown by what was asked for after it was drawn. */
  grown: () => void;
}

/** A question, and the answer of each column. */
export const RoundView = memo(function RoundView({ round, isRaw, conversation, grown }: RoundViewProps) {
  const [first, second] = round.runs;
  const areAlike = first?.agent === second?.agent;
  return (
    <li className="ar-round">
      <div className="ar-question">
        <div className="ar-label">{texts.you}</div>
        <div className="ar-break">{round.query}</div>
      </div>
      <div className="ar-lanes" data-lanes={round.runs.length}>
        {round.runs.map((run) => (
          <article key={run.key} className="ar-panel ar-answer" aria-label={texts.ofAgent(run.agent)}>
            <div className="ar-label">
              {run.agent}
              {areAlike && ` · ${texts.column(run.lane + 1)}`}
            </div>
            <RunView
              state={run.state}
              isRaw={isRaw}
              decide={(verdict, comment) => conversation.decide(run.key, verdict, comment)}
              handIn={(result) => conversation.handIn(run.key, result)}
              grown={grown}
            />
            {run.state.done !== undefined && <RunExtras done={run.state.done} />}
            <RunFoot state={run.state} isOverridden={run.request.override !== undefined} />
            <VisuallyHidden aria-live="polite">{wordOn(run)}</VisuallyHidden>
          </article>
        ))}
      </div>
      {first !== undefined && second !== undefined && <ComparedNumbers a={first} b={second} />}
    </li>
  );
});

/** For who doesn't see it; tokens are not read out one by one. */
function wordOn({ agent, state: { phase, awaited } }: PlayedRun): string {
  if (phase === "done") return texts.nowDone(agent);
  if (phase === "failed") return texts.nowFailed(agent);
  if (phase === "stopped") return texts.nowStopped(agent);
  return awaited === undefined ? "" : texts.nowWaiting(agent, awaited.tool);
}
