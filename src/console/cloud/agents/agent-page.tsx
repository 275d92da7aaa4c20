import { Code, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { CloudAgent, GuardrailChoice } from "../../../contracts/cloud/agents.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { type Fact, Facts } from "../../parts/layout/facts.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { formatNumber } from "../../parts/text/format.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { useSession } from "../../session/session.tsx";
import { agentTexts as texts } from "../../texts/cloud/agents.ts";
import { partTexts } from "../../texts/parts.ts";
import { orgPaths } from "../cloud-paths.ts";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { AgentActions } from "./agent-actions.tsx";
import { AgentLoaded } from "./agent-loaded.tsx";
import { AgentStatusBadge } from "./agent-status.tsx";
import { GatePanel } from "./release/gate-panel.tsx";
import { TryPanel } from "./try-panel.tsx";

export default orgPage(AgentPage);

/** One agent: its configuration, its manifest, and a place to try it. */
function AgentPage({ org }: OrgPageProps) {
  return (
    <AgentLoaded org={org}>
      {(agent) => (
        <>
          <PageHeader
            title={agent.display_name}
            up={{ href: orgPaths(org.slug).agents, label: texts.title }}
            mark={
              <>
                <AgentStatusBadge status={agent.status} />
                {agent.has_draft && <StatusBadge tone="plain">{texts.hasDraft}</StatusBadge>}
              </>
            }
            lead={<span className="ar-mono ar-break">{agent.name}</span>}
          >
            <AgentActions org={org} agent={agent} />
          </PageHeader>
          <div className="ar-columns">
            <div className="ar-stack">
              <TryPanel key={agent.status} org={org} agent={agent} />
              <CallPanel org={org} agent={agent} />
            </div>
            <div className="ar-stack">
              <Panel title={texts.facts}>
                <Facts facts={factsOf(agent)} />
              </Panel>
              <GatePanel org={org} agent={agent} />
              <ManifestPanel org={org} agent={agent} />
            </div>
          </div>
        </>
      )}
    </AgentLoaded>
  );
}

interface AgentPartProps extends OrgPageProps {
  agent: CloudAgent;
}

function ManifestPanel({ org, agent: { name, updated_at } }: AgentPartProps) {
  const cloud = useCloud();
  const query = useQuery({
    queryKey: ["cloud", org.slug, "manifest", name, updated_at],
    queryFn: () => cloud.manifest(org.slug, name),
  });
  return (
    <Panel
      title={texts.manifest}
      actions={query.data !== undefined && <CopyButton value={query.data} label={partTexts.copy} />}
    >
      <Loaded query={query} rows={4}>
        {(manifest) => <CodeEditor value={manifest} language="yaml" label={texts.manifest} maxHeight={420} />}
      </Loaded>
    </Panel>
  );
}

/** How a program calls the agent. */
function CallPanel({ org, agent: { name } }: AgentPartProps) {
  const { home } = useSession().state;
  const address = home === "cloud" ? location.origin : texts.address;
  const call = `curl ${address}/api/v1/orgs/${org.slug}/agents/${name}/run \\
  -H "X-API-Key: $ARGOSY_CLOUD_KEY" \\
  -d '{"query": "Hello"}'`;
  return (
    <Panel title={texts.call} actions={<CopyButton value={call} label={partTexts.copy} />}>
      <div className="ar-stack">
        <Text className="ar-soft">{texts.callHint}</Text>
        <Code block tabIndex={0}>
          {call}
        </Code>
      </div>
    </Panel>
  );
}

function factsOf(agent: CloudAgent): Fact[] {
  const { step1, step2, step3, step4, step5 } = agent;
  const none = <span className="ar-soft">{texts.nothing}</span>;
  const list = (names: readonly string[] | undefined) =>
    names === undefined || names.length === 0 ? none : names.join(", ");
  const guardrails = [
    ...(step5?.input_guardrails ?? []).map((choice) => `${nameOf(choice)} (${texts.input})`),
    ...(step5?.output_guardrails ?? []).map((choice) => `${nameOf(choice)} (${texts.output})`),
  ];
  return [
    { label: texts.model, value: step1?.model ?? <span className="ar-soft">{texts.noModel}</span> },
    { label: texts.fallback, value: step1?.fallback_model ?? none },
    { label: texts.persona, value: step2?.persona ?? none },
    { label: texts.tools, value: list(step3?.tools) },
    {
      label: texts.memory,
      value: [
        step4?.memory_type ?? "conversational",
        (step4?.memory_strategy ?? "sliding_window").replaceAll("_", " "),
        texts.window(step4?.window_size ?? 20),
      ].join(", "),
    },
    { label: texts.guardrails, value: list(guardrails) },
    { label: texts.maxTokens, value: formatNumber(step5?.max_tokens ?? 1000) },
    { label: texts.agentId, value: <span className="ar-mono">{agent.agent_id}</span> },
    ...(agent.former_names === undefined
      ? []
      : [
          {
            label: texts.formerNames,
            value: (
              <span className="ar-mono ar-break">
                {agent.former_names.map(({ name }) => name).join(", ")}
              </span>
            ),
          },
        ]),
    { label: texts.created, value: <Instant iso={agent.created_at} /> },
    ...(agent.deployed_at === null
      ? []
      : [{ label: texts.deployedAt, value: <Instant iso={agent.deployed_at} /> }]),
  ];
}

const nameOf = (choice: GuardrailChoice): string => (typeof choice === "string" ? choice : choice.type);
