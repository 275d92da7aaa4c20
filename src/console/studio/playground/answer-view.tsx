import { Button, VisuallyHidden } from "@mantine/core";
import { useRef } from "react";
import { RunExtras } from "../../runs/run-extras.tsx";
import { playTexts as texts } from "../../texts/studio/runs.ts";
import type { PlayedRun, PlaygroundConversation } from "./conversation.ts";
import { RunFooter } from "./run-footer.tsx";
import { RunView } from "./run-view.tsx";

interface AnswerViewProps {
  run: PlayedRun;
  /** Title of the answer: its agent or model. */
  title: string;
  /** True if there is another column. */
  isCompared: boolean;
  isRaw: boolean;
  conversation: PlaygroundConversation;
  /** Called when content that loaded later has made the answer longer. */
  grown: () => void;
}

/** The answer in one column: its run, parts that only some answers have, and its numbers. */
export function AnswerView({ run, title, isCompared, isRaw, conversation, grown }: AnswerViewProps) {
  const place = useRef<HTMLElement>(null);
  // Moves the focus, because the form that had it disappears.
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
        sendResult={(result) => {
          stay();
          conversation.sendResult(key, result);
        }}
        grown={grown}
      />
      {state.done !== undefined && <RunExtras {...state.done} sources={state.done.metadata.sources} />}
      <RunFooter state={state} isOverridden={request.override !== undefined} session={request.session_id} />
      <VisuallyHidden aria-live="polite">{wordOn(run)}</VisuallyHidden>
    </article>
  );
}

/** Announcement for screen readers; tokens are not read out one by one. */
function wordOn({ agent, state: { phase, awaited, taken } }: PlayedRun): string {
  if (phase === "done") return texts.announceDone(agent);
  if (phase === "failed") return texts.announceFailed(agent);
  if (phase === "stopped") return texts.announceStopped(agent);
  if (taken?.awaited !== undefined) return texts.announceTaken(taken.awaited.tool);
  return awaited === undefined ? "" : texts.announceWaiting(agent, awaited.tool);
}
