import type { AgentStatus } from "../../../contracts/cloud/agents.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { agentStatusTexts } from "../../texts/cloud/cloud.ts";

const tones: Readonly<Record<AgentStatus, Tone>> = { draft: "plain", deployed: "good", paused: "warn" };

/** The status of an agent in a word. */
export const AgentStatusBadge = ({ status }: { status: AgentStatus }) => (
  <StatusBadge tone={tones[status]}>{agentStatusTexts[status]}</StatusBadge>
);
