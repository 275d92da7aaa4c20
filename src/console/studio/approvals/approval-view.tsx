import { Button, Title } from "@mantine/core";
import { useRef } from "react";
import type { Approval, ApprovalStatus } from "../../../contracts/daemon/runs/approvals.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import type { Decide, TakenCall } from "../../runs/run-state.ts";
import { approvalTexts as texts } from "../../texts/studio/runs.ts";
import { ApprovalPrompt } from "../playground/approval-prompt.tsx";
import type { PlayedRun, PlaygroundConversation } from "../playground/conversation.ts";
import { RunFooter } from "../playground/run-footer.tsx";
import { RunView } from "../playground/run-view.tsx";
import { TakenCallView, useTakenApproval } from "../playground/taken-call-view.tsx";
import { ApprovalDetails } from "./approval-details.tsx";

const tones: Readonly<Record<ApprovalStatus, Tone>> = {
  pending: "warn",
  approved: "good",
  rejected: "plain",
  expired: "plain",
  failed: "bad",
};

interface ApprovalViewProps {
  approval: Approval;
  /** The resumed run, after a decision on this page. */
  run: PlayedRun | undefined;
  isOpen: boolean;
  toggle: () => void;
  /** Opens another approval. */
  show: (id: string) => void;
  conversation: PlaygroundConversation;
  decided: () => void;
}

/** A call that needs a person: its agent and time. While it waits, it shows the call's input and the decision form; later, the outcome. */
export function ApprovalView(props: ApprovalViewProps) {
  const { approval, isOpen, toggle, show, conversation, decided } = props;
  const taken = takenOf(props);
  // The resumed run is someone else's then.
  const run = taken === undefined ? props.run : undefined;
  const status = useTakenApproval(taken)?.status ?? approval.status;
  const { id, agent, via, tool, created_at: asked, session_id: session, expires_at: until } = approval;
  const awaited = {
    type: "approval_required",
    approval_id: id,
    session_id: session,
    agent,
    tool,
    expires_at: until,
    ...(approval.question !== undefined && { question: approval.question }),
  } as const;
  const place = useRef<HTMLElement>(null);
  const decide: Decide = (verdict, request) => {
    // Moves the focus, because the form that had it disappears.
    place.current?.focus({ preventScroll: true });
    decided();
    conversation.adopt(id, awaited);
    conversation.decide(id, verdict, request);
  };
  const isWaiting = run === undefined && taken === undefined && status === "pending";
  return (
    <article ref={place} tabIndex={-1} className="ar-panel" aria-label={`${tool}, ${agent}`}>
      <div className="ar-panel-head ar-approval-head">
        <Title order={2} size="h3" className="ar-mono ar-break">
          {tool}
        </Title>
        <StatusBadge tone={tones[status]}>{texts.statuses[status]}</StatusBadge>
        <span className="ar-soft ar-break">
          {agent}
          {via !== undefined && via !== agent && ` (${texts.via(via)})`}
        </span>
        <span className="ar-soft ar-approval-time">
          <Instant iso={asked} />
        </span>
        {!isWaiting && run === undefined && (
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={isOpen}
            aria-label={`${texts.details}: ${tool}`}
            onClick={toggle}
          >
            {isOpen ? texts.close : texts.details}
          </Button>
        )}
      </div>
      {isWaiting && (
        <div className="ar-panel-body">
          <ApprovalPrompt awaited={awaited} input={approval.input} decide={decide} />
        </div>
      )}
      {taken !== undefined && (
        <div className="ar-panel-body">
          <TakenCallView taken={taken} />
        </div>
      )}
      {run !== undefined && (
        <div className="ar-panel-body">
          <RunView
            state={run.state}
            isRaw={false}
            decide={(verdict, request) => conversation.decide(id, verdict, request)}
            sendResult={(result) => conversation.sendResult(id, result)}
          />
          <RunFooter state={run.state} isOverridden={false} session={session} />
        </div>
      )}
      {isOpen && !isWaiting && run === undefined && <ApprovalDetails id={id} show={show} />}
    </article>
  );
}

/** Returns this approval's call if someone else decided on it first. A later call of a run that this page resumed is part of that run. */
function takenOf({ approval, run }: ApprovalViewProps): TakenCall | undefined {
  const taken = run?.state.taken;
  const isThis = taken?.awaited?.type === "approval_required" && taken.awaited.approval_id === approval.id;
  return isThis ? taken : undefined;
}
