import { Button, VisuallyHidden } from "@mantine/core";
import { useRef } from "react";
import { RunExtras } from "../../runs/run-extras.tsx";
import { playTexts as texts } from "../../texts/studio-runs.ts";
import type { Conversation, PlayedRun } from "./conversation.ts";
import { RunFoot } from "./run-foot.tsx";
import { RunView } from "./run-view.tsx";

interface AnswerViewProps {
  run: PlayedRun;
  /** Above it: whose answer it is. */
  title: string;
  /** Whether another column answers beside it. */
  isCompared: boolean;
  isRaw: boolean;
  conversation: Conversation;
  /** Has grown by what was asked for after it was drawn. */
  grown: () => void;
}

/** What one column made of a question: its run, what only some answers have, what it took. */
export function AnswerView({ run, title, isCompared, isRaw, conversation, grown }: AnswerViewProps) {
  const place = useRef<HTMLElement>(null);
  // The form that had the focus goes away.
  const stay = () => place.current?.focus({ preventScroll: true });
  const { key, agent, state, request } = run;
  return (
    <article ref={place} tabIndex={-1} className="ar-panel ar-answer" aria-label={texts.ofAgent(agent)}>
      <div className="ar-answer-head">
        <span className="ar-label">{title}</span>
        {isCompared && state.phase === "running" && (
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            onClick={() => {
              stay();
              conversation.stop(key);
            }}
          >
            {texts.stop}
            <VisuallyHidden>{` · ${title}`}</VisuallyHidden>
          </Button>
        )}
      </div>
      <RunView
        state={state}
        isRaw={isRaw}
        decide={(verdict, comment) => {
          stay();
          conversation.decide(key, verdict, comment);
        }}
        handIn={(result) => {
          stay();
          conversation.handIn(key, result);
        }}
        grown={grown}
      />
      {state.done !== undefined && <RunExtras {...state.done} sources={state.done.metadata.sources} />}
      <RunFoot state={state} isOverridden={request.override !== undefined} session={request.session_id} />
      <VisuallyHidden aria-live="polite">{wordOn(run)}</VisuallyHidden>
    </article>
  );
}

/** For who doesn't see it; tokens are not read out one by one. */
function wordOn({ agent, state: { phase, awaited } }: PlayedRun): string {
  if (phase === "done") return texts.nowDone(agent);
  if (phase === "failed") return texts.nowFailed(agent);
  if (phase === "stopped") return texts.nowStopped(agent);
  return awaited === undefined ? "" : texts.nowWaiting(agent, awaited.tool);
}
