import type { OrgAgentStatus } from "../../../contracts/cloud/agents.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { agentStatusTexts } from "../../texts/cloud/cloud.ts";

const tones: Readonly<Record<OrgAgentStatus, Tone>> = { draft: "plain", deployed: "good", paused: "warn" };

/** The status of an agent in a word. */
export const AgentStatusBadge = ({ status }: { status: OrgAgentStatus }) => (
  <StatusBadge tone={tones[status]}>{agentStatusTexts[status]}</StatusBadge>
);
