import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { AgentDetail } from "../../../contracts/daemon/agents.ts";
import type { ProblemBody } from "../../../contracts/error-body.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { ProblemList } from "../../parts/states/problem-list.tsx";
import { useExisting } from "../../parts/states/use-existing.ts";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { agentsTexts as texts } from "../../texts/studio/agents.ts";
import { LatestRuns } from "../home/latest-runs.tsx";
import { useDaemon } from "../use-daemon.ts";
import { AgentCall } from "./agent-call.tsx";
import { AgentCanary } from "./agent-canary.tsx";
import { AgentCandidate } from "./agent-candidate.tsx";
import { type AgentChangeQuestion, AgentConfirms, useAgentChanges } from "./agent-changes.tsx";
import { AgentCustomers } from "./agent-customers.tsx";
import { AgentFacts } from "./agent-facts.tsx";
import { AgentMemory } from "./agent-memory.tsx";
import { agentPaths } from "./agent-paths.ts";
import { AgentStatusBadge } from "./agent-status.tsx";
import { AgentServers, AgentTools } from "./agent-tools.tsx";
import { useStoredManifest } from "./use-agent-editor.ts";

/** One agent: its status, its parts and its latest runs. */
export default function AgentPage() {
  const { name = "" } = useParams<{ name: string }>();
  const daemon = useDaemon();
  const query = useExisting(
    useQuery({ queryKey: ["daemon", "agents", name], queryFn: () => daemon.getAgent(name) }),
  );
  return (
    <>
      <PageHeader
        title={name}
        lead={query.data?.description}
        up={{ href: agentPaths.list, label: texts.title }}
        mark={query.data && <AgentStatusBadge status={query.data.status} error={query.data.error} />}
      >
        {query.data && <AgentButtons agent={query.data} />}
      </PageHeader>
      <Loaded query={query}>{(agent) => <AgentView agent={agent} />}</Loaded>
    </>
  );
}

function AgentButtons({ agent: { name, status } }: { agent: AgentDetail }) {
  const [, go] = useLocation();
  const [question, setQuestion] = useState<AgentChangeQuestion>();
  const [failure, setFailure] = useState<unknown>();
  const { deploy } = useAgentChanges(name);
  return (
    <>
      {failure !== undefined && <FailureView thrown={failure} />}
      {status !== "failed" && (
        <Button component={Link} href={agentPaths.ask(name)} leftSection={<Icon name="play" />}>
          {texts.ask}
        </Button>
      )}
      <Button
        component={Link}
        href={agentPaths.edit(name)}
        variant={status === "failed" ? "filled" : "default"}
        leftSection={<Icon name="edit" />}
      >
        {texts.edit}
      </Button>
      <Button component={Link} href={agentPaths.history(name)} variant="default">
        {texts.history}
      </Button>
      {status === "ready" && (
        <Button variant="default" onClick={() => setQuestion("pause")}>
          {texts.pause}
        </Button>
      )}
      {status === "paused" && (
        <Button variant="default" onClick={() => void deploy().catch(setFailure)}>
          {texts.deploy}
        </Button>
      )}
      <Button variant="default" onClick={() => setQuestion("delete")} leftSection={<Icon name="trash" />}>
        {texts.delete}
      </Button>
      <AgentConfirms
        name={name}
        question={question}
        onClose={() => setQuestion(undefined)}
        onDeleted={() => go(agentPaths.list)}
      />
    </>
  );
}

function AgentView({ agent }: { agent: AgentDetail }) {
  const { name, error, problems = [], mcp_servers: servers } = agent;
  // If the manifest was never loaded, nothing else is known.
  const isRead = agent.orchestration.pattern !== "";
  const isHeldOnly =
    agent.candidate !== undefined && problems.every(({ path = "" }) => path.startsWith("spec.release"));
  return (
    <div className="ar-agents-columns">
      <div className="ar-agents-stack">
        {error !== undefined && !isHeldOnly && (
          <Panel title={texts.problems}>
            <p className="ar-agents-lead ar-break">{problems.length === 0 ? error : texts.problemsLead}</p>
            <ProblemList problems={problems} />
          </Panel>
        )}
        {agent.candidate !== undefined && <AgentCandidate name={name} candidate={agent.candidate} />}
        {agent.canary !== undefined && <AgentCanary name={name} />}
        <AgentFacts agent={agent} />
        {isRead && (
          <>
            <AgentTools tools={agent.tools} />
            {servers !== undefined && servers.length > 0 && <AgentServers servers={servers} />}
            <AgentMemory name={name} memory={agent.memory} />
          </>
        )}
        <LatestRuns agent={name} />
      </div>
      <div className="ar-agents-stack">
        {isRead && <AgentCall name={name} />}
        {isRead && <AgentCustomers name={name} />}
        <AgentManifest name={name} problems={problems} />
      </div>
    </div>
  );
}

interface AgentManifestProps {
  name: string;
  /** Problems, marked at their lines. */
  problems: readonly ProblemBody[];
}

/** The newest manifest of an agent, read-only. */
function AgentManifest({ name, problems }: AgentManifestProps) {
  const query = useStoredManifest(name);
  const copy = query.data !== undefined && <CopyButton value={query.data.value} label={texts.copyManifest} />;
  return (
    <Panel title={texts.manifest} actions={copy}>
      <Loaded query={query}>
        {(stored) => (
          <CodeEditor
            language="yaml"
            value={stored.value}
            label={texts.manifestLabel(name)}
            faults={problems}
            maxHeight="70vh"
          />
        )}
      </Loaded>
    </Panel>
  );
}
