import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import type { PlatformApproval } from "../../../../contracts/platform/runs/approvals.ts";
import { type Fact, Facts } from "../../../parts/facts.tsx";
import { Instant } from "../../../parts/instant.tsx";
import { useSession } from "../../../session/session.tsx";
import { approvalTexts as texts } from "../../../texts/platform-tenant-runs.ts";
import { authorName } from "../author-name.ts";
import { tenantPaths } from "../tenant-paths.ts";

/** The caller, the start and end of the wait, and the decision. */
export function ApprovalFacts({ tenantId, approval }: { tenantId: string; approval: PlatformApproval }) {
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
