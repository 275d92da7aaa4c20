import { Anchor, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { Link } from "wouter";
import type { PlatformApproval, PlatformDecision } from "../../../../contracts/platform/runs/approvals.ts";
import { type Fact, Facts } from "../../../parts/layout/facts.tsx";
import { notify } from "../../../parts/notices.tsx";
import { FailureView } from "../../../parts/states/failure-view.tsx";
import { Instant } from "../../../parts/text/instant.tsx";
import { JsonView } from "../../../parts/text/json-view.tsx";
import { StatusBadge, type Tone } from "../../../parts/text/status-badge.tsx";
import { DecisionForm } from "../../../runs/decision-form.tsx";
import { QuestionForm } from "../../../runs/question-form.tsx";
import { type ApprovalChoice, type Decide, lateCodeOf } from "../../../runs/run-state.ts";
import { useSession } from "../../../session/session.tsx";
import { runTexts, approvalTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { runPartTexts } from "../../../texts/runs.ts";
import { usePlatform } from "../../use-platform.ts";
import { authorName } from "../author-name.ts";
import { Permitted } from "../rights.tsx";
import { tenantPaths } from "../tenant-paths.ts";

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
  const { id, invocation_id, agent, tool, input, status, question } = approval;
  const decide = useMutation({
    mutationFn: ({ verdict, request }: { verdict: ApprovalChoice; request: PlatformDecision }) =>
      platform.decideApproval(id, verdict, request),
    onSuccess: ({ body }) => notify(texts.decidedAs[body.status]),
    onError(thrown) {
      // The list that is read anew may not have the call any more.
      const late = lateCodeOf(thrown);
      if (late !== undefined) notify(runTexts.taken(late));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["platform", tenantId] }),
  });
  const send: Decide = (verdict, request) => decide.mutate({ verdict, request });
  return (
    <article className="ar-panel" aria-labelledby={headingId}>
      <div className="ar-panel-head">
        <h2 className="ar-tn-approval-title" id={headingId}>
          {question === undefined
            ? texts.wants(agent, tool ?? texts.unnamedTool)
            : runPartTexts.asks(question.server, tool ?? texts.unnamedTool)}
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
            <Permitted right="approvals">
              {question === undefined ? (
                <DecisionForm isBusy={decide.isPending} decide={send} />
              ) : (
                <QuestionForm question={question} isBusy={decide.isPending} decide={send} />
              )}
            </Permitted>
          )}
          {decide.isPending && (
            <Text role="status" className="ar-soft">
              {texts.resuming}
            </Text>
          )}
          {decide.isError && lateCodeOf(decide.error) === undefined && <FailureView thrown={decide.error} />}
        </Stack>
      </div>
    </article>
  );
}

/** The caller, the start and end of the wait, and the decision. */
function ApprovalFacts({ tenantId, approval }: { tenantId: string; approval: PlatformApproval }) {
  const { signedIn } = useSession();
  const { agent, via, invocation_id, created_at, expires_at, status, decided_at, decided_by, comment } =
    approval;
  const href = tenantPaths(tenantId).invocation(agent, invocation_id);
  const facts: Fact[] = [
    {
      label: texts.run,
      value: (
        <Anchor component={Link} href={href} className="ar-mono">
          {invocation_id}
        </Anchor>
      ),
    },
    { label: texts.since, value: <Instant iso={created_at} /> },
  ];
  const add = (label: string, value: ReactNode) => facts.push({ label, value });
  if (via !== undefined) add(texts.via, via);
  if (status === "pending") add(texts.until, <Instant iso={expires_at} />);
  if (decided_at !== undefined) add(texts.decidedAt, <Instant iso={decided_at} />);
  if (decided_by !== undefined) add(texts.decidedBy, authorName(decided_by, signedIn.person?.id));
  if (comment !== undefined) add(texts.comment, comment);
  return <Facts facts={facts} />;
}
