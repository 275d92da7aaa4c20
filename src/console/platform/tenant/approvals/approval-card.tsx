import { Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import type { PlatformApproval } from "../../../../contracts/platform/runs/approvals.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { FailureView } from "../../../parts/failure-view.tsx";
import { JsonView } from "../../../parts/json-view.tsx";
import { say } from "../../../parts/say.ts";
import { StatusBadge, type Tone } from "../../../parts/status-badge.tsx";
import { DecisionForm } from "../../../runs/decision-form.tsx";
import type { Verdict } from "../../../runs/run-state.ts";
import { approvalTexts as texts } from "../../../texts/platform-tenant-runs.ts";
import { ApprovalFacts } from "./approval-facts.tsx";

const tones: Readonly<Record<PlatformApproval["status"], Tone>> = {
  pending: "warn",
  approved: "good",
  rejected: "bad",
  expired: "plain",
};

/** A call that waits or waited for a person's decision, with its input, which is the subject of the decision. */
export function ApprovalCard({ tenantId, approval }: { tenantId: string; approval: PlatformApproval }) {
  const platform = usePlatform(tenantId);
  const queries = useQueryClient();
  const headingId = useId();
  const { id, invocation_id, agent, tool, input, status } = approval;
  const decide = useMutation({
    mutationFn: ({ verdict, comment }: { verdict: Verdict; comment: string }) =>
      platform.decideApproval(id, verdict, comment === "" ? {} : { comment }),
    onSuccess: ({ body }) => say(texts.wentOn[body.status]),
    onSettled: () => queries.invalidateQueries({ queryKey: ["platform", tenantId] }),
  });
  return (
    <article className="ar-panel" aria-labelledby={headingId}>
      <div className="ar-panel-head">
        <h2 className="ar-tn-approval-title" id={headingId}>
          {texts.wants(agent, tool ?? texts.someTool)}
        </h2>
        <div className="ar-panel-actions">
          <StatusBadge tone={tones[status]}>{texts.status[status]}</StatusBadge>
        </div>
      </div>
      <div className="ar-panel-body">
        <Stack gap="sm">
          {input === undefined ? (
            <Text className="ar-soft">{texts.noInput}</Text>
          ) : (
            <JsonView value={input} label={texts.inputOf(invocation_id)} maxHeight={220} />
          )}
          <ApprovalFacts tenantId={tenantId} approval={approval} />
          {status === "pending" && (
            <DecisionForm
              isBusy={decide.isPending}
              decide={(verdict, comment) => decide.mutate({ verdict, comment })}
            />
          )}
          {decide.isPending && (
            <Text role="status" className="ar-soft">
              {texts.goingOn}
            </Text>
          )}
          {decide.isError && <FailureView thrown={decide.error} />}
        </Stack>
      </div>
    </article>
  );
}
