import { Button, Tabs } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { usePlatform } from "../../../api/use-server.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { PageHead } from "../../../parts/page-head.tsx";
import { say } from "../../../parts/say.ts";
import { StatusBadge } from "../../../parts/status-badge.tsx";
import { useUrlState } from "../../../parts/use-url-state.ts";
import { agentTexts as texts } from "../../../texts/platform-tenant.ts";
import { InvocationList } from "../runs/invocation-list.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { AgentOverview } from "./agent-overview.tsx";
import { AgentVersions } from "./agent-versions.tsx";
import { DeletedAgent } from "./deleted-agent.tsx";

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
            <PageHead
              title={name}
              lead={agent.display_name === name ? undefined : agent.display_name}
              up={{ href: paths.agents, label: texts.up }}
              mark={<StatusBadge tone="accent">{texts.versionMark(agent.current_version)}</StatusBadge>}
            >
              <Button component={Link} href={paths.run(name)}>
                {texts.run}
              </Button>
              <Button component={Link} href={paths.editAgent(name)} variant="default">
                {texts.edit}
              </Button>
              <Button variant="default" color="red" onClick={() => setDeleting(true)}>
                {texts.remove}
              </Button>
            </PageHead>
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
                say(texts.deleted(name));
              }}
            />
          </>
        )
      }
    </Loaded>
  );
}
