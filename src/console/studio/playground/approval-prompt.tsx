import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useDaemon } from "../../api/use-server.tsx";
import { formatInstant } from "../../parts/format.ts";
import { JsonView } from "../../parts/json-view.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { approvalTexts, playTexts as texts } from "../../texts/studio-runs.ts";
import { DecisionForm } from "./decision-form.tsx";
import type { Awaited, Verdict } from "./run-state.ts";

interface ApprovalPromptProps {
  awaited: Extract<Awaited, { type: "approval_required" }>;
  /** What is decided on, where that is known already. */
  input?: Record<string, unknown>;
  decide: (verdict: Verdict, comment: string) => void;
  /** What is decided on is there: the prompt has grown by it. */
  shown?: (() => void) | undefined;
}

/** A run that waits for a person, where it stopped. */
export function ApprovalPrompt({ awaited, input, decide, shown }: ApprovalPromptProps) {
  const { approval_id: id, tool, expires_at: until } = awaited;
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
    <fieldset className="ar-prompt" aria-label={texts.approvalTitle(tool)}>
      <Text fw={600} className="ar-break">
        {texts.approvalTitle(tool)}
      </Text>
      {input === undefined ? (
        <Loaded query={query} rows={2}>
          {(approval) => <Decided input={approval.input} />}
        </Loaded>
      ) : (
        <Decided input={input} />
      )}
      <DecisionForm decide={decide} />
      <Text size="xs" className="ar-soft">
        {texts.approvalUntil} {formatInstant(until)}
      </Text>
    </fieldset>
  );
}

const Decided = ({ input }: { input: Record<string, unknown> }) => (
  <JsonView value={input} label={approvalTexts.input} maxHeight={220} />
);
