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
  decide: (verdict: Verdict, comment: string) => void;
  /** What is decided on is there: the prompt has grown by it. */
  shown?: (() => void) | undefined;
}

/** A run that waits for a person, where it stopped. */
export function ApprovalPrompt({ awaited, decide, shown }: ApprovalPromptProps) {
  const { approval_id: id, tool, expires_at: until } = awaited;
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "approvals", id], queryFn: () => daemon.getApproval(id) });
  const { isSuccess } = query;
  useEffect(() => {
    if (isSuccess) shown?.();
  }, [isSuccess, shown]);
  return (
    <fieldset className="ar-prompt" aria-label={texts.approvalTitle(tool)}>
      <Text fw={600} className="ar-break">
        {texts.approvalTitle(tool)}
      </Text>
      <Loaded query={query} rows={2}>
        {({ input }) => <JsonView value={input} label={approvalTexts.input} maxHeight={220} />}
      </Loaded>
      <DecisionForm decide={decide} />
      <Text size="xs" className="ar-soft">
        {texts.approvalUntil} {formatInstant(until)}
      </Text>
    </fieldset>
  );
}
