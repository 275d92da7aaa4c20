import { Anchor, Button, Stack, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../parts/tables/data-table.tsx";
import { memoryTexts as texts } from "../../texts/studio/resources.ts";
import { useDaemon } from "../use-daemon.ts";
import { memoryPaths } from "./memory-paths.ts";

const columns: readonly Column<AgentSummary>[] = [
  {
    id: "name",
    header: texts.agent,
    width: "minmax(120px, 1fr)",
    cell: ({ name }) => (
      <Anchor component={Link} href={memoryPaths.of(name)} fw={560}>
        {name}
      </Anchor>
    ),
  },
  {
    id: "description",
    header: texts.description,
    width: "minmax(140px, 3fr)",
    from: "sm",
    cell: ({ description }) => <span className="ar-soft">{description}</span>,
  },
];

/** Agents, each with a link to its memory. */
export function AgentChoice() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "agents"], queryFn: daemon.listAgents });
  const [search, setSearch] = useUrlState("q");
  const isFound = ({ name, description }: AgentSummary) =>
    `${name} ${description}`.toLowerCase().includes(search.toLowerCase());
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <Loaded query={query}>
        {({ agents }) =>
          agents.length === 0 ? (
            <EmptyState text={texts.noAgents}>
              <Button component={Link} href="/studio/gallery">
                {texts.toGallery}
              </Button>
            </EmptyState>
          ) : (
            <Stack gap="sm">
              <TextInput
                type="search"
                label={texts.findAgent}
                leftSection={<Icon name="search" />}
                value={search}
                onChange={(event) => setSearch(event.currentTarget.value)}
              />
              <DataTable
                label={texts.agents}
                columns={columns}
                rows={agents.filter(isFound)}
                keyOf={({ name }) => name}
              />
            </Stack>
          )
        }
      </Loaded>
    </>
  );
}
