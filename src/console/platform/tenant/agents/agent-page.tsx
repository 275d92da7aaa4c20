import { Button, Group, Tabs } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import type { PlatformAgentDetail } from "../../../../contracts/platform/agents.ts";
import { CodeEditor } from "../../../editor/code-editor.tsx";
import { gatewayPaths } from "../../../gateway/gateway-paths.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { MonthPicker, useMonth } from "../../../parts/inputs/month-picker.tsx";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { useSession } from "../../../session/session.tsx";
import { agentTexts as texts } from "../../../texts/platform/tenant.ts";
import { usePlatform } from "../../use-platform.ts";
import { Permitted, RightNote } from "../rights.tsx";
import { InvocationList } from "../runs/invocation-list.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { ConsumptionView } from "../usage/consumption-view.tsx";
import { AgentSubscription } from "./agent-subscription.tsx";
import { AgentVersions } from "./agent-versions.tsx";
import { DeletedAgent } from "./deleted-agent.tsx";
import { manifestText } from "./manifest-text.ts";

const tabs = ["overview", "versions", "runs"] as const;

export default tenantPage(AgentPage);

function AgentPage({ tenant }: TenantPageProps) {
  const { name = "" } = useParams<{ name: string }>();
  const platform = usePlatform(tenant.id);
  const queries = useQueryClient();
  const [, go] = useLocation();
  const [tab, setTab] = useUrlState("tab");
  const [isDeleting, setDeleting] = useState(false);
  const paths = tenantPaths(tenant.id);
  const query = useQuery({
    queryKey: ["platform", tenant.id, "agents", name],
    async queryFn() {
      const { agent } = await platform.agentStatus(name, { limit: 1 });
      return agent.status === "deleted" ? null : platform.getAgent(name);
    },
  });
  if (query.data === null) return <DeletedAgent tenantId={tenant.id} name={name} />;
  return (
    <Loaded query={query}>
      {(agent) =>
        agent !== null && (
          <>
            <PageHeader
              title={name}
              lead={agent.display_name === name ? undefined : agent.display_name}
              up={{ href: paths.agents, label: texts.up }}
              mark={<StatusBadge tone="accent">{texts.versionMark(agent.current_version)}</StatusBadge>}
            >
              <Permitted right="runs">
                <Button component={Link} href={paths.run(name)}>
                  {texts.run}
                </Button>
              </Permitted>
              <Permitted right="agents">
                <Button component={Link} href={paths.editAgent(name)} variant="default">
                  {texts.edit}
                </Button>
                <Button variant="default" color="red" onClick={() => setDeleting(true)}>
                  {texts.remove}
                </Button>
              </Permitted>
            </PageHeader>
            <RightNote right="agents" />
            <Tabs
              keepMounted={false}
              value={tabs.find((one) => one === tab) ?? "overview"}
              onChange={(value) => setTab(value === "overview" || value === null ? "" : value)}
            >
              <Tabs.List mb="md">
                {tabs.map((value) => (
                  <Tabs.Tab key={value} value={value}>
                    {texts.tabs[value]}
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value="overview">
                <AgentOverview tenantId={tenant.id} agent={agent} />
              </Tabs.Panel>
              <Tabs.Panel value="versions">
                <AgentVersions tenantId={tenant.id} agent={agent} />
              </Tabs.Panel>
              <Tabs.Panel value="runs">
                <InvocationList tenantId={tenant.id} agent={name} />
              </Tabs.Panel>
            </Tabs>
            <Confirm
              opened={isDeleting}
              title={texts.deleteTitle(name)}
              text={texts.deleteText}
              action={texts.deleteAction}
              typed={name}
              onClose={() => setDeleting(false)}
              onConfirm={async () => {
                await platform.deleteAgent(name);
                go(paths.agents);
                await queries.invalidateQueries({ queryKey: ["platform", tenant.id] });
                notify(texts.deleted(name));
              }}
            />
          </>
        )
      }
    </Loaded>
  );
}

/** An agent's usage, the source of its credits, and its manifest. */
function AgentOverview({ tenantId, agent }: { tenantId: string; agent: PlatformAgentDetail }) {
  const platform = usePlatform(tenantId);
  const [period] = useMonth();
  const query = useQuery({
    queryKey: ["platform", tenantId, "metrics", agent.name, period],
    queryFn: () => platform.agentMetrics(agent.name, period),
  });
  return (
    <div className="ar-columns">
      <Panel title={texts.manifest} flush>
        <CodeEditor value={manifestText(agent.spec)} language="yaml" label={texts.manifest} maxHeight={560} />
      </Panel>
      <div className="ar-stack">
        <Panel title={texts.usage} actions={<MonthPicker />}>
          <Loaded query={query} rows={4}>
            {({ month }) => <ConsumptionView consumption={month} />}
          </Loaded>
        </Panel>
        <AgentSubscription tenantId={tenantId} agent={agent} />
        <AgentChannels tenantId={tenantId} name={agent.name} />
      </div>
    </div>
  );
}

/** The way to a phone that the agent answers. Renders nothing for a session that may not set up the gateway. */
function AgentChannels({ tenantId, name }: { tenantId: string; name: string }) {
  const { state, signedIn } = useSession();
  if (signedIn.gateway !== true || !state.services.includes("gateway")) return null;
  return (
    <Panel
      title={texts.channels}
      actions={
        <Button
          component={Link}
          href={gatewayPaths.connectPhones(tenantId, name)}
          size="xs"
          variant="default"
        >
          {texts.connectPhone}
        </Button>
      }
    >
      <p className="ar-soft ar-flat">{texts.channelsHint}</p>
      <Group gap="xs" mt="sm">
        {(["webchat", "phone_messenger", "bot_messenger"] as const).map((channel) => (
          <Button
            key={channel}
            component={Link}
            href={gatewayPaths.newAccount(channel, tenantId, name)}
            size="xs"
          >
            {texts.putOn[channel]}
          </Button>
        ))}
      </Group>
    </Panel>
  );
}
