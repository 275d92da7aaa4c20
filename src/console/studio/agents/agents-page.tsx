import { Anchor, Button, Group, Select, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../parts/tables/data-table.tsx";
import { agentsTexts } from "../../texts/studio/agents.ts";
import { useDaemon } from "../use-daemon.ts";
import { AgentMenu } from "./agent-menu.tsx";
import { agentPaths } from "./agent-paths.ts";
import { AgentStatusBadge } from "./agent-status.tsx";
import { filterAgents } from "./filter-agents.ts";

const columns: readonly Column<AgentSummary>[] = [
  {
    id: "name",
    header: agentsTexts.columnName,
    width: "minmax(110px, 1fr)",
    cell: ({ name }) => (
      <Anchor component={Link} href={agentPaths.of(name)} fw={560}>
        {name}
      </Anchor>
    ),
  },
  {
    id: "status",
    header: agentsTexts.columnStatus,
    width: "minmax(72px, max-content)",
    cell: ({ status, error }) => <AgentStatusBadge status={status} error={error} />,
  },
  {
    id: "model",
    header: agentsTexts.columnModel,
    width: "minmax(120px, 1fr)",
    from: "sm",
    cell: ({ model }) => <span className="ar-mono">{model === "" ? agentsTexts.noModel : model}</span>,
  },
  {
    id: "pattern",
    header: agentsTexts.columnPattern,
    width: "130px",
    from: "md",
    cell: ({ pattern }) => pattern,
  },
  {
    id: "description",
    header: agentsTexts.columnDescription,
    width: "minmax(160px, 2.4fr)",
    from: "md",
    cell: ({ description }) => <span className="ar-soft">{description}</span>,
  },
  {
    id: "actions",
    header: agentsTexts.columnActions,
    width: "60px",
    align: "end",
    cell: (agent) => <AgentMenu agent={agent} />,
  },
];

/** All agents with their status and actions. */
export default function AgentsPage() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  const [search, setSearch] = useUrlState("q");
  const [status, setStatus] = useUrlState("status");
  return (
    <>
      <PageHeader title={agentsTexts.title} lead={agentsTexts.lead}>
        <Button component={Link} href="/studio/agents/new" leftSection={<Icon name="plus" />}>
          {agentsTexts.new}
        </Button>
      </PageHeader>
      <Loaded query={query}>
        {({ agents }) =>
          agents.length === 0 ? (
            <EmptyState title={agentsTexts.emptyTitle} text={agentsTexts.empty}>
              <Button component={Link} href="/studio/gallery">
                {agentsTexts.toGallery}
              </Button>
            </EmptyState>
          ) : (
            <Stack gap="sm">
              <FailedAgents agents={agents} />
              <Group gap="sm" align="end">
                <TextInput
                  className="ar-agents-grow"
                  type="search"
                  label={agentsTexts.search}
                  placeholder={agentsTexts.searchPlaceholder}
                  leftSection={<Icon name="search" />}
                  value={search}
                  onChange={(event) => setSearch(event.currentTarget.value)}
                />
                <Select
                  w={140}
                  label={agentsTexts.status}
                  data={[
                    { value: "", label: agentsTexts.allStatuses },
                    { value: "ready", label: agentsTexts.ready },
                    { value: "failed", label: agentsTexts.failed },
                    { value: "paused", label: agentsTexts.paused },
                  ]}
                  value={status}
                  allowDeselect={false}
                  onChange={(value) => setStatus(value ?? "")}
                />
              </Group>
              <DataTable
                label={agentsTexts.table}
                columns={columns}
                rows={filterAgents(agents, search, status)}
                keyOf={({ name }) => name}
              />
            </Stack>
          )
        }
      </Loaded>
    </>
  );
}

/** Agents that are not ready or not up to date with their files, with the reason. Renders nothing if there are none. */
function FailedAgents({ agents }: { agents: readonly AgentSummary[] }) {
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
