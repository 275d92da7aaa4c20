import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import { Panel } from "../../parts/panel.tsx";
import { agentsTexts } from "../../texts/studio-agents.ts";
import { agentPaths } from "./agent-paths.ts";

/** The agents that are not ready, or not as their files say, with the reason; nothing when all is well. */
export function FailedAgents({ agents }: { agents: readonly AgentSummary[] }) {
  const failed = agents.filter(({ error }) => error !== undefined);
  if (failed.length === 0) return null;
  return (
    <Panel title={agentsTexts.failedTitle(failed.length)}>
      <ul className="ar-findings">
        {failed.map(({ name, error }) => (
          <li key={name} data-tone="bad">
            <Anchor component={Link} href={agentPaths.of(name)} fw={560}>
              {name}
            </Anchor>
            <span className="ar-break">{error}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
