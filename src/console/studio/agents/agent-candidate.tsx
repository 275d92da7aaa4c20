import { Anchor, Code } from "@mantine/core";
import { Link } from "wouter";
import type { AgentDetail } from "../../../contracts/daemon/agents.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { agentReleaseTexts as texts } from "../../texts/studio/agents.ts";

interface AgentCandidateProps {
  name: string;
  candidate: NonNullable<AgentDetail["candidate"]>;
}

/** The version that the release gate keeps out of service, why, and what to do. */
export function AgentCandidate({ name, candidate }: AgentCandidateProps) {
  const command = `argosy eval release ${name} --override "reason"`;
  return (
    <Panel title={texts.heldTitle} actions={<CopyButton value={command} label={texts.copyCommand} />}>
      <p className="ar-agents-lead">{texts.heldLead}</p>
      <ul className="ar-agents-reasons">
        {candidate.reasons.map((reason) => (
          <li key={reason} className="ar-break">
            {reason}
          </li>
        ))}
      </ul>
      <p className="ar-agents-lead">
        {texts.heldNext}
        <Anchor component={Link} href="/studio/evals">
          {texts.toEvals}
        </Anchor>
      </p>
      <Code block>{command}</Code>
    </Panel>
  );
}
