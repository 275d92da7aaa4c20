import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Loaded } from "../../parts/states/loaded.tsx";
import { JsonView } from "../../parts/text/json-view.tsx";
import { AwaitedCall } from "../../runs/awaited-call.tsx";
import type { Awaited, Decide } from "../../runs/run-state.ts";
import { runPartTexts } from "../../texts/runs.ts";
import { approvalTexts, playTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";

interface ApprovalPromptProps {
  awaited: Extract<Awaited, { type: "approval_required" }>;
  /** The call's input, if it is already known. */
  input?: Record<string, unknown>;
  decide: Decide;
  /** Called when the input has loaded and the prompt has grown. */
  shown?: (() => void) | undefined;
}

/** A run that waits for a person's decision, shown where the run paused. */
export function ApprovalPrompt({ awaited, input, decide, shown }: ApprovalPromptProps) {
  const { approval_id: id, tool, expires_at: until, question } = awaited;
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: ["daemon", "approvals", id],
    queryFn: () => daemon.getApproval(id),
    enabled: input === undefined,
  });
  const { isSuccess } = query;
  useEffect(() => {
    if (isSuccess) shown?.();
  }, [isSuccess, shown]);
  return (
    <AwaitedCall
      title={question === undefined ? texts.approvalTitle(tool) : runPartTexts.asks(question.server, tool)}
      until={until}
      decide={decide}
      question={question}
    >
      {input === undefined ? (
        <Loaded query={query} rows={2}>
          {(approval) => <Decided input={approval.input} />}
        </Loaded>
      ) : (
        <Decided input={input} />
      )}
    </AwaitedCall>
  );
}

const Decided = ({ input }: { input: Record<string, unknown> }) => (
  <JsonView value={input} label={approvalTexts.input} maxHeight={220} />
);
