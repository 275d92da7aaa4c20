import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ApprovalDecision } from "../../../../contracts/daemon/runs/approvals.ts";
import type { RunApprovalFrame } from "../../../../contracts/platform/runs/run-frames.ts";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { JsonView } from "../../../parts/text/json-view.tsx";
import { AwaitedCall } from "../../../runs/awaited-call.tsx";
import type { ApprovalChoice } from "../../../runs/run-state.ts";
import { approvalTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { runPartTexts } from "../../../texts/runs.ts";
import { usePlatform } from "../../use-platform.ts";

interface AwaitedDecisionProps {
  tenantId: string;
  awaiting: RunApprovalFrame;
  decide: (tool: string, verdict: ApprovalChoice, request: ApprovalDecision) => void;
  /** Called when the call has loaded. */
  shown: () => void;
}

/** A run that waits for a person's decision. The stream names only the approval; the list has the call. */
export function AwaitedDecision({ tenantId, awaiting, decide, shown }: AwaitedDecisionProps) {
  const platform = usePlatform(tenantId);
  const query = useQuery({
    queryKey: ["platform", tenantId, "approvals", "of a run", awaiting.approval_id],
    async queryFn() {
      const { approvals } = await platform.listApprovals({ status: "pending", limit: 200 });
      return approvals.find(({ id }) => id === awaiting.approval_id) ?? null;
    },
  });
  const isThere = query.data !== undefined;
  useEffect(() => {
    if (isThere) shown();
  }, [isThere, shown]);
  return (
    <Loaded query={query} rows={2}>
      {(approval) => {
        if (approval === null) return <Text className="ar-soft">{texts.decidedElsewhere}</Text>;
        const tool = approval.tool ?? texts.unnamedTool;
        return (
          <AwaitedCall
            title={
              approval.question === undefined
                ? texts.wants(approval.agent, tool)
                : runPartTexts.asks(approval.question.server, tool)
            }
            until={approval.expires_at}
            decide={(verdict, request) => decide(tool, verdict, request)}
            question={approval.question}
          >
            {approval.input !== undefined && (
              <JsonView value={approval.input} label={texts.input} maxHeight={220} />
            )}
          </AwaitedCall>
        );
      }}
    </Loaded>
  );
}
