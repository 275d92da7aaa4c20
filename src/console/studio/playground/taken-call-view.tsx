import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ApprovalDetail } from "../../../contracts/daemon/runs/approvals.ts";
import type { TakenCall } from "../../runs/run-state.ts";
import { approvalTexts, playTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";

/** The approval as the daemon has it now, once its call is taken. */
export function useTakenApproval(taken: TakenCall | undefined): ApprovalDetail | undefined {
  const daemon = useDaemon();
  const awaited = taken?.awaited;
  const id = awaited?.type === "approval_required" ? awaited.approval_id : "";
  const { data } = useQuery({
    queryKey: ["daemon", "approvals", id],
    queryFn: () => daemon.getApproval(id),
    enabled: id !== "",
  });
  return id === "" ? undefined : data;
}

/** Says what became of a call that was decided elsewhere, or expired, before the decision on this page. */
export function TakenCallView({ taken }: { taken: TakenCall }) {
  const approval = useTakenApproval(taken);
  return (
    <p className="ar-mark" aria-live="polite">
      <span>{outcomeOf(taken, approval)}</span>
      {taken.awaited?.type === "approval_required" && (
        <Anchor
          component={Link}
          href={`/studio/approvals?id=${encodeURIComponent(taken.awaited.approval_id)}`}
        >
          {texts.openApproval}
        </Anchor>
      )}
    </p>
  );
}

/** Until the approval is read anew, only the refusal is known. */
function outcomeOf({ code }: TakenCall, approval: ApprovalDetail | undefined): string {
  const { decidedElsewhere } = approvalTexts;
  const status = approval?.status;
  if (status === "approved" || status === "rejected" || status === "failed") return decidedElsewhere[status];
  return texts.late[code];
}
