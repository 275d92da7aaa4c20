import { memo } from "react";
import { playTexts as texts } from "../../texts/studio/runs.ts";
import { AnswerView } from "./answer-view.tsx";
import type { PlaygroundConversation, Round } from "./conversation.ts";
import { ComparedNumbers } from "./lanes/compared-numbers.tsx";

interface RoundViewProps {
  round: Round;
  isRaw: boolean;
  conversation: PlaygroundConversation;
  /** Called when content that loaded later has made the round longer. */
  grown: () => void;
}

/** A question, and the answer of each column. */
export const RoundView = memo(function RoundView({ round, isRaw, conversation, grown }: RoundViewProps) {
  const { runs } = round;
  const areAlike = new Set(runs.map(({ agent }) => agent)).size < runs.length;
  return (
    <li className="ar-round">
      <div className="ar-question">
        <div className="ar-label">{texts.you}</div>
        <div className="ar-break">{round.query}</div>
      </div>
      <div className="ar-lanes" data-lanes={runs.length}>
        {runs.map((run) => (
          <AnswerView
            key={run.key}
            run={run}
            title={areAlike ? `${run.agent} · ${texts.column(run.lane + 1)}` : run.agent}
            isCompared={runs.length > 1}
            isRaw={isRaw}
            conversation={conversation}
            grown={grown}
          />
        ))}
      </div>
      {runs.length > 1 && <ComparedNumbers runs={runs} />}
    </li>
  );
});
