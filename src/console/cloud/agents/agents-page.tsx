import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { AgentItem } from "../../../contracts/cloud/agents.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { SideScroll } from "../../parts/layout/side-scroll.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type PlainColumn, PlainTable } from "../../parts/tables/plain-table.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { agentTexts as texts } from "../../texts/cloud/agents.ts";
import { orgPaths } from "../cloud-paths.ts";
import { Invitations } from "../invitations.tsx";
import { type OrgPageProps, orgPage } from "../org-page.tsx";
import { useCloud } from "../use-cloud.ts";
import { AgentStatusBadge } from "./agent-status.tsx";

export default orgPage(AgentsPage);

function AgentsPage({ org }: OrgPageProps) {
  const cloud = useCloud();
  const paths = orgPaths(org.slug);
  const query = useQuery({
    queryKey: ["cloud", org.slug, "agents"],
    queryFn: () => cloud.agents(org.slug),
  });
  const { max_agents: most } = org.limits;
  const count = query.data?.agents.length ?? 0;
  const isFull = count >= most;
  const create = (
    <Button component={Link} href={paths.newAgent}>
      {texts.create}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={texts.title}
        lead={
          isFull
            ? texts.full(org.plan)
            : `${texts.lead(org.display_name, org.plan)}${count > 0 ? ` ${texts.places(count, most)}.` : ""}`
        }
      >
        {count > 0 && !isFull && create}
      </PageHeader>
      <Invitations />
      <Loaded query={query} rows={3}>
        {({ agents }) =>
          agents.length === 0 ? (
            <EmptyState title={texts.noneTitle} text={texts.none}>
              {create}
            </EmptyState>
          ) : (
            <div className="ar-panel">
              <SideScroll>
                <PlainTable
                  label={texts.title}
                  columns={columnsFor(paths.agent)}
                  rows={agents}
                  keyOf={({ name }) => name}
                />
              </SideScroll>
            </div>
          )
        }
      </Loaded>
    </>
  );
}

const columnsFor = (addressOf: (name: string) => string): PlainColumn<AgentItem>[] => [
  {
    id: "agent",
    header: texts.agent,
    cell: ({ name, display_name }) => (
      <>
        <Anchor component={Link} href={addressOf(name)} fw={600} className="ar-break">
          {display_name}
        </Anchor>
        <div className="ar-soft ar-mono ar-break">{name}</div>
      </>
    ),
  },
  { id: "status", header: texts.status, cell: ({ status }) => <AgentStatusBadge status={status} /> },
  {
    id: "model",
    header: texts.model,
    from: "md",
    className: "ar-break",
    cell: ({ model }) => model ?? <span className="ar-soft">{texts.noModel}</span>,
  },
  {
    id: "created",
    header: texts.created,
    from: "md",
    cell: ({ created_at }) => <Instant iso={created_at} />,
  },
];
