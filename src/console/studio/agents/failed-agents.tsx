import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import { Panel } from "../../parts/panel.tsx";
import { agentsTexts } from "../../texts/studio-agents.ts";
import { agentPaths } from "./agent-paths.ts";

/** Agents that are not ready or not up to date with their files, with the reason. Renders nothing if there are none. */
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
