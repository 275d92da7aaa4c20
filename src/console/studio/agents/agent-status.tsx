import type { AgentStatus } from "../../../contracts/daemon/agents.ts";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { agentsTexts } from "../../texts/studio/agents.ts";

const tones: Readonly<Record<AgentStatus, Tone>> = { ready: "good", failed: "bad", paused: "warn" };

/** The status of an agent. An agent that still runs although its newest file was refused is marked as outdated. */
export function AgentStatusBadge({ status, error }: { status: AgentStatus; error?: string | undefined }) {
  if (status !== "failed" && error !== undefined) {
    return <StatusBadge tone="warn">{agentsTexts.outdated}</StatusBadge>;
  }
  return <StatusBadge tone={tones[status]}>{agentsTexts[status]}</StatusBadge>;
}
