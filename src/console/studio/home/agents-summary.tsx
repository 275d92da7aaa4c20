import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { homeTexts as texts } from "../../texts/studio/home.ts";
import { agentPaths } from "../agents/agent-paths.ts";
import { AgentStatusBadge } from "../agents/agent-status.tsx";

const shown = 8;

/** A short list of agents, with links to each and to the playground. */
export function AgentsSummary({ agents }: { agents: readonly AgentSummary[] }) {
  const link = (
    <Anchor component={Link} href={agentPaths.list} size="sm">
      {texts.allAgents}
    </Anchor>
  );
  return (
    <Panel title={texts.list} actions={link}>
      <ul className="ar-home-glance">
        {worstFirst(agents)
          .slice(0, shown)
          .map(({ name, status, error, description }) => (
            <li key={name}>
              <Anchor component={Link} href={agentPaths.of(name)} fw={560} title={name}>
                {name}
              </Anchor>
              <span className="ar-soft ar-clip" title={description}>
                {description}
              </span>
              {status === "ready" && error === undefined ? (
                <Anchor
                  component={Link}
                  href={agentPaths.ask(name)}
                  size="sm"
                  aria-label={texts.askAgent(name)}
                >
                  {texts.ask}
                </Anchor>
              ) : (
                <AgentStatusBadge status={status} error={error} />
              )}
            </li>
          ))}
      </ul>
      {agents.length > shown && (
        <p className="ar-soft ar-home-after">{texts.more(formatNumber(agents.length - shown))}</p>
      )}
    </Panel>
  );
}

const worstFirst = (agents: readonly AgentSummary[]): AgentSummary[] => [
  ...agents.filter(({ status }) => status !== "ready"),
  ...agents.filter(({ status }) => status === "ready"),
];
